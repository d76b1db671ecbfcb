// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__LINK__MAVLINK__MAVLINK_FRAME_HPP_
#define PQC_TUNNEL__LINK__MAVLINK__MAVLINK_FRAME_HPP_

#include <cstdint>

#include "base/bytes.hpp"

namespace pqc_tunnel
{

// The fields of a frame that the tunnel itself writes.
struct MavlinkHeader
{
  std::uint8_t sequence = 0;
  std::uint8_t system = 0;
  std::uint8_t component = 0;
  std::uint8_t message = 0;
  std::uint8_t crc_extra = 0;  // checksum seed of the message definition
};

// Return a frame without a signature. In version 2 the payload must not end in zeros.
Bytes mavlink_1_frame(const MavlinkHeader & header, ByteView payload);
Bytes mavlink_2_frame(const MavlinkHeader & header, ByteView payload);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__MAVLINK__MAVLINK_FRAME_HPP_
