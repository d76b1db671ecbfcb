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

std::string direction_json(const Relay & relay, Side from)
{
  const DatagramCounters & link = relay.channel(from).counters();
  const Relay::EndCounters ends = relay.end_counters(from);
  return JsonWriter::object()
    .number("in", link.in)
    .number("out", link.out)
    .number("bytes_in", link.bytes_in)
    .number("bytes_out", link.bytes_out)
    .number("lost", link.lost)
    .number("lost_in_outage", link.lost_in_outage)
    .number("queue_dropped", link.queue_dropped)
    .number("oversize", link.oversize)
    .number("taken", link.taken)
    .number("withheld", link.withheld)
    .number("duplicated", link.duplicated)
    .number("corrupted", link.corrupted)
    .number("reordered", link.reordered)
    .number("in_flight", relay.channel(from).in_flight())
    .number("unsent", ends.unsent)
    .number("strangers", ends.strangers)
    .number("kernel_drops", ends.kernel_drops)
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
    .number("uptime_s", in_seconds(now - emulator.start()));
  auto link = JsonWriter::object();
  const auto * udp = dynamic_cast<const DatagramRelay *>(&emulator.relay());
  if (udp != nullptr) {
    link.number("port", udp->port()).number("rebinds", udp->rebinds());
  }
  for (const Side from : both_sides) {
    link.raw(name_of(from), direction_json(emulator.relay(), from));
  }
  json.raw(udp != nullptr ? "udp" : "serial", link.str());
  return json.str();
}

}  // namespace pqc_tunnel::link_emulator
