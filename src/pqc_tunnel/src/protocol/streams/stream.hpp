// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__STREAMS__STREAM_HPP_
#define PQC_TUNNEL__PROTOCOL__STREAMS__STREAM_HPP_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/byte_io.hpp"
#include "base/bytes.hpp"
#include "protocol/wire/stream_lane.hpp"

namespace pqc_tunnel
{

// Streams carry messages that are larger than a datagram, in parts that each have a frame of their own, beside the
// traffic.

// Some of the lanes.
enum class LaneSet : std::uint8_t
{
  all,
  prompt,    // that don't yield to data
  yielding,  // those of the background while they have a pace
};

// A part of a message: "id 1 | number 2 | offset 3 | total 3 | bytes".
struct StreamPart
{
  static constexpr std::size_t header_size = 9;

  std::uint8_t id = 0;
  std::uint16_t number = 0;  // counts the parts sent, including repetitions
  std::uint32_t offset = 0;
  std::uint32_t total = 0;  // bytes of the message
  ByteView bytes;
};

// An id is "lane 2 bits | count 6 bits".
inline constexpr int lane_shift = 6;
inline constexpr std::uint8_t count_mask = 0x3f;
inline StreamLane lane_of(std::uint8_t id)
{
  return StreamLane{static_cast<std::uint8_t>(id >> lane_shift)};
}
inline std::uint8_t next_id(StreamLane lane, std::uint8_t id)
{
  const int count = (id + 1) & count_mask;
  return static_cast<std::uint8_t>(static_cast<int>(lane) << lane_shift | count);
}

// Returns whether a number is 1 to 32767 ahead of another one, modulo 65536.
inline bool is_newer_part(std::uint16_t number, std::uint16_t than)
{
  const auto ahead = static_cast<std::uint16_t>(number - than);
  return ahead != 0 && ahead < 0x8000;
}

// Returns how far `id` is ahead of `other`, of the same lane, modulo 64.
inline std::uint8_t ids_ahead(std::uint8_t id, std::uint8_t other)
{
  return static_cast<std::uint8_t>((id - other) & count_mask);
}

inline Bytes encode(const StreamPart & part)
{
  const auto u24 = [](ByteWriter & out, std::uint32_t value) {
    out.u8(static_cast<std::uint8_t>(value >> 16)).u16(static_cast<std::uint16_t>(value));
  };
  Bytes out;
  out.reserve(StreamPart::header_size + part.bytes.size());
  ByteWriter writer(out);
  writer.u8(part.id).u16(part.number);
  u24(writer, part.offset);
  u24(writer, part.total);
  writer.bytes(part.bytes);
  return out;
}

// Returns nothing for an empty part, or one that exceeds its total.
inline std::optional<StreamPart> parse_stream_part(ByteView payload)
{
  ByteReader in(payload);
  const auto u24 = [&in] {
    const std::uint32_t high = in.u8();
    return high << 16 | in.u16();
  };
  StreamPart part;
  part.id = in.u8();
  part.number = in.u16();
  part.offset = u24();
  part.total = u24();
  part.bytes = in.bytes(in.remaining());
  if (!in.ok() || part.bytes.empty() || part.offset + part.bytes.size() > part.total) {
    return std::nullopt;
  }
  return part;
}

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__STREAMS__STREAM_HPP_
