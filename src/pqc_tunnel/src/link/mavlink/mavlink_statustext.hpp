// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__LINK__MAVLINK__MAVLINK_STATUSTEXT_HPP_
#define PQC_TUNNEL__LINK__MAVLINK__MAVLINK_STATUSTEXT_HPP_

#include <cstdint>
#include <string_view>

#include "base/bytes.hpp"

namespace pqc_tunnel
{

enum class MavlinkSeverity : std::uint8_t
{
  warning = 4,
  info = 6,
};

// Returns a MAVLink 2 frame with a STATUSTEXT, cut to 50 bytes, from the onboard computer of a vehicle.
Bytes mavlink_statustext(
  std::uint8_t system, std::uint8_t sequence, MavlinkSeverity severity, std::string_view text);

// Returns the system id of the first frame in a datagram; 0 if that is no MAVLink frame.
std::uint8_t mavlink_system(ByteView datagram);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__MAVLINK__MAVLINK_STATUSTEXT_HPP_
