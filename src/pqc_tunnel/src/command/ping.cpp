// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <cstdio>
#include <iostream>

#include "command_line/json_writer.hpp"
#include "given.hpp"
#include "measure_echoes.hpp"
#include "tunnels.hpp"

namespace pqc_tunnel::cli
{

namespace
{

std::string as_milliseconds(double seconds)
{
  std::array<char, 48> digits{};
  std::snprintf(digits.data(), digits.size(), "%.1f", seconds * 1e3);
  return digits.data();
}

const char * lost_on(Lost where)
{
  switch (where) {
    case Lost::there:
      return "there";
    case Lost::back:
      return "back";
    case Lost::unknown:
    case Lost::nowhere:
      break;
  }
  return "";
}

std::string mtu_text(const Echoes & echoes)
{
  const std::string configured = std::to_string(echoes.configured_bytes) + " bytes";
  if (echoes.header_bytes == 0) {
    return "frames of a serial line: " + configured;
  }
  if (!echoes.path_mtu) {
    return "path MTU: not looked for (configured: " + configured + ")";
  }
  const std::string found = "path MTU: " + std::to_string(*echoes.path_mtu) + " bytes";
  if (*echoes.path_mtu == echoes.configured_bytes) {
    return found + " both ways, as configured";
  }
  const std::string where = lost_on(echoes.longer);
  return found + " of " + configured + "; longer packets are lost" +
         (where.empty() ? "" : " on the way " + where);
}

std::string echoes_text(const Echoes & echoes)
{
  const auto & times = echoes.round_trips_s;
  const auto count = [](std::size_t number) { return std::to_string(number); };
  std::string text =
    echoes.peer + ": " + count(echoes.sent) + " sent, " + count(times.size()) +
    " answered; lost: " + count(echoes.lost_there) + " there, " + count(echoes.lost_back) +
    " back" + (echoes.lost_unknown == 0 ? "" : ", " + count(echoes.lost_unknown) + " either way") +
    "\n";
  if (!times.empty()) {
    text += "round trip: least " + as_milliseconds(times.front()) + ", median " +
            as_milliseconds(times[times.size() / 2]) + ", greatest " +
            as_milliseconds(times.back()) + " ms\n" + mtu_text(echoes) +
            "\nversions: " + PQC_TUNNEL_VERSION + " here, " + echoes.version + " there\n";
  }
  return text;
}

std::string echoes_json(const Echoes & echoes)
{
  auto times = JsonWriter::array();
  for (const double seconds : echoes.round_trips_s) {
    times.element(std::to_string(seconds));
  }
  auto json = JsonWriter::object();
  json.text("peer", echoes.peer)
    .number("sent", echoes.sent)
    .number("answered", echoes.round_trips_s.size())
    .number("lost_there", echoes.lost_there)
    .number("lost_back", echoes.lost_back)
    .number("lost_either_way", echoes.lost_unknown)
    .raw("round_trips_s", times.str())
    .number("configured_mtu_bytes", echoes.configured_bytes);
  if (echoes.path_mtu) {
    json.number("path_mtu_bytes", *echoes.path_mtu).text("longer_lost", lost_on(echoes.longer));
  }
  return json.text("version", PQC_TUNNEL_VERSION).text("peer_version", echoes.version).str();
}

}  // namespace

Result<int> ping(const Given & given)
{
  const auto tunnel = choose_tunnel(given.tunnel());
  if (!tunnel) {
    return tl::make_unexpected(tunnel.error());
  }
  const auto echoes = measure_echoes(
    *tunnel, {given.drones.empty() ? "" : given.drones.back(), given.count, given.path_mtu});
  if (!echoes) {
    return tl::make_unexpected(echoes.error());
  }
  std::cout << (given.json ? echoes_json(*echoes) + "\n" : echoes_text(*echoes));
  return echoes->round_trips_s.empty() ? exit_cannot_run : exit_success;
}

}  // namespace pqc_tunnel::cli
