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

// Messages with the same key report the state of the same object.
struct MessageKey
{
  std::uint8_t system = 0;
  std::uint8_t component = 0;
  std::uint32_t message = 0;
  std::array<std::uint8_t, 10> instance = {};  // id of the battery, the target, the name …

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the 0 of the comparison for a pointer.
  friend auto operator<=>(const MessageKey &, const MessageKey &) = default;
};

// The system and component that number and sign frames.
using MavlinkSender = std::uint16_t;

struct DatagramClass
{
  TrafficClass traffic = TrafficClass::other;
  std::optional<MessageKey> key = {};        // none unless the datagram is one frame
  bool newest_counts = false;                // a newer one with the same key replaces it
  std::optional<MavlinkSender> sender = {};  // none: several senders, or not MAVLink
};

// First bytes of frames of versions 1 and 2: https://mavlink.io/en/guide/serialization.html
constexpr std::uint8_t magic_1 = 0xfe;
constexpr std::uint8_t magic_2 = 0xfd;
constexpr bool begins_mavlink(std::uint8_t byte) { return byte == magic_1 || byte == magic_2; }

// Takes the first MAVLink frame (version 1 or 2, signed or not) off the front; nothing if there is no complete one.
// Checksums are not checked.
std::optional<ByteView> take_mavlink_frame(ByteView & rest);

// Returns the size that the header at the front states. 0: no frame begins here. If the header is incomplete, the size
// is more than `bytes` has.
std::size_t mavlink_frame_size(ByteView bytes);

// Returns the message id of a frame that take_mavlink_frame() has returned.
std::uint32_t mavlink_message(ByteView frame);

// Returns the class of the most urgent frame in a datagram of the application; TrafficClass::other if it has anything
// but MAVLink frames. `newest_counts` holds only for messages known to repeat a state.
DatagramClass classify(ByteView datagram);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__MAVLINK__MAVLINK_CLASS_HPP_
