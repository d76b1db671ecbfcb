// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_EXPOSURE__KNOWN_PORTS_HPP_
#define PQC_EXPOSURE__KNOWN_PORTS_HPP_

#include <cstdint>
#include <optional>

#include "pqc_tunnel/net/mavlink_ports.hpp"

namespace pqc_tunnel::exposure
{

// Returns whether MAVLink programs use the port for other services: names, maps, time, video.
bool is_other_service(std::uint16_t port);

// Returns true for 7447 (sessions and routers) and UDP 7446 (scouting), as in Zenoh's DEFAULT_CONFIG.json5.
bool is_zenoh_port(Transport transport, std::uint16_t port);

// The first ephemeral port of Linux: net.ipv4.ip_local_port_range, see ip(7).
inline constexpr std::uint16_t first_ephemeral_port = 32768;

// A port that the RTPS specification (2.5, section 9.6.1) gives to a participant.
struct RtpsPort
{
  enum class Use : std::uint8_t
  {
    discovery_multicast,
    discovery_unicast,
    data,
  };
  int domain;
  Use use;
};

// Returns nothing beyond the 40th participant of a domain, or half of all ports would match.
std::optional<RtpsPort> rtps_port(std::uint16_t port);

// Returns true for the further port of each Fast DDS 3 participant: 7000, 7001 …, in any domain.
bool is_fast_dds_port(std::uint16_t port);

}  // namespace pqc_tunnel::exposure

#endif  // PQC_EXPOSURE__KNOWN_PORTS_HPP_
