// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "known_ports.hpp"

#include <algorithm>
#include <array>

namespace pqc_tunnel::exposure
{

namespace
{

constexpr std::array<std::uint16_t, 8> other_services{
  53,    // names
  80,    // maps
  123,   // time
  443,   // maps
  554,   // video (RTSP)
  853,   // names (TLS)
  5353,  // names (mDNS)
  5600,  // video (QGroundControl's default)
};

constexpr int rtps_base = 7400;
constexpr int rtps_domain_gain = 250;
constexpr int rtps_last_domain = 232;
constexpr int rtps_participant_gain = 2;
constexpr int rtps_participants = 40;
constexpr int rtps_discovery_multicast = 0;
constexpr int rtps_data_multicast = 1;
constexpr int rtps_discovery_unicast = 10;
constexpr int rtps_after_unicast =
  rtps_discovery_unicast + rtps_participant_gain * rtps_participants;

}  // namespace

bool is_other_service(std::uint16_t port)
{
  return std::ranges::find(other_services, port) != other_services.end();
}

bool is_zenoh_port(Transport transport, std::uint16_t port)
{
  return port == 7447 || (transport == Transport::udp && port == 7446);
}

std::optional<RtpsPort> rtps_port(std::uint16_t port)
{
  const int domain = (port - rtps_base) / rtps_domain_gain;
  const int offset = (port - rtps_base) % rtps_domain_gain;
  if (port < rtps_base || domain > rtps_last_domain) {
    return std::nullopt;
  }
  if (offset == rtps_discovery_multicast) {
    return RtpsPort{domain, RtpsPort::Use::discovery_multicast};
  }
  if (offset == rtps_data_multicast) {
    return RtpsPort{domain, RtpsPort::Use::data};
  }
  if (offset < rtps_discovery_unicast || offset >= rtps_after_unicast) {
    return std::nullopt;
  }
  const bool discovery = (offset - rtps_discovery_unicast) % rtps_participant_gain == 0;
  return RtpsPort{domain, discovery ? RtpsPort::Use::discovery_unicast : RtpsPort::Use::data};
}

bool is_fast_dds_port(std::uint16_t port)
{
  return port >= 7000 && port < 7000 + rtps_participants;
}

}  // namespace pqc_tunnel::exposure
