// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__LINK__PATHS__LINK_SETTINGS_HPP_
#define PQC_TUNNEL__LINK__PATHS__LINK_SETTINGS_HPP_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/endpoint.hpp"
#include "base/time.hpp"
#include "link/framing/cobs.hpp"

namespace pqc_tunnel
{

enum class LinkType : std::uint8_t
{
  udp,
  serial,
};

// The traffic that a link carries.
enum class Carry : std::uint8_t
{
  all,
  priority,  // control and commands; ordered traffic and streams if no other link is up
  standby,   // all, but only if no other link is up
};

enum class Schedule : std::uint8_t
{
  failover,   // the first link in order that is up
  redundant,  // every link that is up
};

// The settings of a local link. Endpoint::link is its position in PathSettings::links.
struct LinkSettings
{
  std::string name;
  LinkType type = LinkType::udp;
  Carry carry = Carry::all;
  std::size_t mtu = universal_payload;  // bytes of a frame
  double rate_kbit = 0;                 // 0: unknown; serial: baud rate / 1000
  std::size_t longest_bundle = 0;       // most bytes of a bundle; 0: the mtu
  bool urgent_only = false;             // telemetry and other data wait

  bool is_thin() const { return rate_kbit > 0; }
  // True if both directions share the rate: radios behind serial devices take turns on one frequency.
  bool is_half_duplex() const { return type == LinkType::serial; }
  // Returns the bytes per second that the link takes, including headers and framing.
  double bytes_per_s() const
  {
    // A start and a stop bit surround each byte on a serial line.
    return rate_kbit * 1000 / (type == LinkType::serial ? 10 : 8);
  }
  Duration airtime(std::size_t frame) const
  {
    return from_seconds(static_cast<double>(line_bytes(frame)) / bytes_per_s());
  }
  // Returns the bytes that a frame takes on the link.
  std::size_t line_bytes(std::size_t frame) const
  {
    constexpr std::size_t ipv6_and_udp = 48;
    return type == LinkType::serial ? cobs_bound(frame) : frame + ipv6_and_udp;
  }
};

struct PathSettings
{
  static constexpr std::size_t max_links = 4;
  // Silence after which the traffic of a path goes over another one.
  static constexpr Duration failover = std::chrono::milliseconds(300);

  std::vector<LinkSettings> links;  // in order of preference
  Schedule schedule = Schedule::failover;

  bool is_serial(std::uint8_t link) const
  {
    return link < links.size() && links[link].type == LinkType::serial;
  }
  // Returns whether a peer sends the same frame over more than one link.
  bool sends_copies() const
  {
    return links.size() > 1 &&
           (schedule == Schedule::redundant || std::ranges::any_of(links, [](const auto & link) {
              return link.carry == Carry::priority;
            }));
  }
};

// Bytes that sealing adds before the payload, and in all (frame_overhead of the protocol).
inline constexpr std::size_t sealed_header = 6;
inline constexpr std::size_t sealed_overhead = 25;
// The most datagrams in a bundle, because even a short one costs its receiver work.
inline constexpr std::size_t max_bundled = 128;
// Bytes of a sealed PATH_REQ or PATH_RSP.
inline constexpr std::size_t probe_frame = sealed_overhead + 1 + 4 + 8;

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__PATHS__LINK_SETTINGS_HPP_
