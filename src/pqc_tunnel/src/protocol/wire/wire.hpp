// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__WIRE__WIRE_HPP_
#define PQC_TUNNEL__PROTOCOL__WIRE__WIRE_HPP_

#include <cstdint>
#include <optional>
#include <span>

#include "base/bytes.hpp"
#include "constants.hpp"

namespace pqc_tunnel
{

/// The content of a sealed frame: the last byte of its plaintext.
enum class FrameKind : std::uint8_t
{
  data = 0,
  control = 1,
  bundle = 2,
  stream = 3,
  fragment = 4,
  control_fragment = 5,  // of a control frame
};

/// When a frame was sealed: the sender's monotonic clock in units of send_time_unit, modulo the period.
enum class SendTime : std::uint16_t
{
};
inline constexpr Duration send_time_period = 65536 * send_time_unit;
SendTime send_time(Instant now);

/// The bytes between payload and tag, which are encrypted like the payload: the time, then the kind.
inline constexpr std::size_t trailer_size = send_time_size + kind_size;
void write_trailer(std::span<std::uint8_t, trailer_size> out, SendTime sent, FrameKind kind);
SendTime read_send_time(std::span<const std::uint8_t, trailer_size> trailer);

/// Identifies the keys of a frame, 22 bits. Several keys can have the same id.
enum class FrameKeyId : std::uint32_t
{
};

/// The 6 bytes before every sealed frame, sent in clear and authenticated as associated data.
struct FrameHeader
{
  FrameKeyId key_id{};
  std::uint32_t sequence = 0;  ///< the low 24 bits

  friend bool operator==(const FrameHeader &, const FrameHeader &) = default;
};

/// Makes a key id of the low 22 bits of three bytes.
FrameKeyId frame_key_id(std::span<const std::uint8_t, 3> bytes);

/// Writes a header; only the low 24 bits of the sequence travel.
void encode(
  FrameKeyId key_id, std::uint64_t sequence, std::span<std::uint8_t, frame_header_size> out);

/// Reads the header of a sealed frame; nothing if the datagram is no sealed frame or too short for one.
std::optional<FrameHeader> decode_frame_header(ByteView datagram);

/// True if the datagram is in the form of a hello frame.
bool is_hello(ByteView datagram);

/// The sequence number with these low 24 bits that is nearest to `highest`.
std::uint64_t restore_sequence(std::uint32_t low_bits, std::uint64_t highest);

/// Takes the first datagram out of what is left of a bundle's payload; nothing at its end or if it is malformed.
std::optional<MutableBytes> take_from_bundle(MutableBytes & rest);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__WIRE__WIRE_HPP_
