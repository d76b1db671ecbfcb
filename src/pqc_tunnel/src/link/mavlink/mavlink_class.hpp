// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__LINK__MAVLINK__MAVLINK_CLASS_HPP_
#define PQC_TUNNEL__LINK__MAVLINK__MAVLINK_CLASS_HPP_

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.hpp"
#include "traffic_class.hpp"

namespace pqc_tunnel
{

// Messages with the same key describe the same thing.
struct MessageKey
{
  std::uint8_t system = 0;
  std::uint8_t component = 0;
  std::uint32_t message = 0;
  std::array<std::uint8_t, 10> instance = {};  // which battery, which target, which name …

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the 0 of the comparison for a pointer.
  friend auto operator<=>(const MessageKey &, const MessageKey &) = default;
};

// Who counts and signs the frames: a component of a system.
using MavlinkSender = std::uint16_t;

struct DatagramClass
{
  TrafficClass traffic = TrafficClass::other;
  std::optional<MessageKey> key = {};  // of a frame by itself
  bool newest_counts = false;          // of those with the same key
  std::optional<MavlinkSender> sender =
    {};  // of all frames; none: there are several, or it is not MAVLink
};

// Takes the first MAVLink frame (version 1 or 2, signed or not) off the front; nothing if there is no complete one.
// Checksums are left to whom they concern.
std::optional<ByteView> take_mavlink_frame(ByteView & rest);

// The size of the frame that begins here, by its header; if that is not complete, more than there is. 0: no frame begins
// here.
std::size_t mavlink_frame_size(ByteView bytes);

// The id of the message in a frame that take_mavlink_frame() has returned.
std::uint32_t mavlink_message(ByteView frame);

// The class of a datagram of the application: that of its most urgent frame. TrafficClass::other if it is anything but
// MAVLink frames. Of a message the newest counts only if it is known to be a stream of states.
DatagramClass classify(ByteView datagram);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__MAVLINK__MAVLINK_CLASS_HPP_
