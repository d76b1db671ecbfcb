// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NET__MAVLINK_PORTS_HPP_
#define PQC_TUNNEL__NET__MAVLINK_PORTS_HPP_

#include <cstdint>

namespace pqc_tunnel
{

enum class Transport : std::uint8_t
{
  udp,
  tcp,
};

/// Returns whether MAVLink programs use this port by default.
bool is_mavlink_port(Transport transport, std::uint16_t port);

/// Returns the autopilot, simulator or ground program that uses this port by default; null if none is known.
const char * usual_program(Transport transport, std::uint16_t port);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NET__MAVLINK_PORTS_HPP_
