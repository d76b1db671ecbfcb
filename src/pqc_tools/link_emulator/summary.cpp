// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "summary.hpp"

#include <unistd.h>

#include "pqc_tunnel/command_line/json_writer.hpp"

namespace pqc_tunnel::link_emulator
{

namespace
{

using cli::JsonWriter;

constexpr const char * name_of(Side from)
{
  return from == Side::drone ? "drone_to_gcs" : "gcs_to_drone";
}

std::string datagrams_json(const DatagramRelay & relay, Side from)
{
  const DatagramCounters & link = relay.channel(from).counters();
  const auto sockets = relay.socket_counters(from);
  return JsonWriter::object()
    .number("in", link.in)
    .number("out", link.out)
    .number("bytes_in", link.bytes_in)
    .number("bytes_out", link.bytes_out)
    .number("lost", link.lost)
    .number("lost_in_outage", link.lost_in_outage)
    .number("queue_dropped", link.queue_dropped)
    .number("oversize", link.oversize)
    .number("duplicated", link.duplicated)
    .number("corrupted", link.corrupted)
    .number("reordered", link.reordered)
    .number("in_flight", relay.channel(from).in_flight())
    .number("unsent", sockets.unsent)
    .number("strangers", sockets.strangers)
    .number("kernel_drops", sockets.kernel_drops)
    .str();
}

}  // namespace

std::string summary_json(
  const Emulator & emulator, const std::string & profile, std::uint64_t seed, bool finished,
  Instant now)
{
  auto json = JsonWriter::object();
  json.text("role", "link_emulator")
    .number("pid", static_cast<std::int64_t>(::getpid()))
    .text("state", finished ? "finished" : "running")
    .text("profile", profile)
    .number("seed", seed)
    .number("uptime_s", std::chrono::duration<double>(now - emulator.start()).count());
  if (const DatagramRelay * relay = emulator.datagrams()) {
    auto udp = JsonWriter::object();
    udp.number("port", relay->port());
    for (const Side from : both_sides) {
      udp.raw(name_of(from), datagrams_json(*relay, from));
    }
    json.raw("udp", udp.str());
  }
  return json.str();
}

}  // namespace pqc_tunnel::link_emulator
