// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "wire.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr std::uint8_t form_mask = 0xc0;
constexpr std::uint8_t sealed_form = 0x40;
constexpr std::uint8_t hello_form = 0x80;

std::uint32_t number(std::span<const std::uint8_t, 3> bytes)
{
  return static_cast<std::uint32_t>(bytes[0] << 16 | bytes[1] << 8 | bytes[2]);
}

bool has_form(ByteView datagram, std::uint8_t form)
{
  return !datagram.empty() && (datagram[0] & form_mask) == form;
}

}  // namespace

[[gnu::hot]] SendTime send_time(Instant now)
{
  return static_cast<SendTime>(now.time_since_epoch() / send_time_unit & 0xffff);
}

[[gnu::hot]] void write_trailer(
  std::span<std::uint8_t, trailer_size> out, SendTime sent, FrameKind kind)
{
  out[0] = static_cast<std::uint8_t>(static_cast<std::uint16_t>(sent) >> 8);
  out[1] = static_cast<std::uint8_t>(sent);
  out[2] = static_cast<std::uint8_t>(kind);
}

[[gnu::hot]] SendTime read_send_time(std::span<const std::uint8_t, trailer_size> trailer)
{
  return static_cast<SendTime>(trailer[0] << 8 | trailer[1]);
}

[[gnu::hot]] FrameKeyId frame_key_id(std::span<const std::uint8_t, 3> bytes)
{
  return FrameKeyId{number(bytes) & 0x3fffff};
}

[[gnu::hot]] void encode(
  FrameKeyId key_id, std::uint64_t sequence, std::span<std::uint8_t, frame_header_size> out)
{
  const auto id = static_cast<std::uint32_t>(key_id);
  out[0] = static_cast<std::uint8_t>(sealed_form | id >> 16);
  out[1] = static_cast<std::uint8_t>(id >> 8);
  out[2] = static_cast<std::uint8_t>(id);
  out[3] = static_cast<std::uint8_t>(sequence >> 16);
  out[4] = static_cast<std::uint8_t>(sequence >> 8);
  out[5] = static_cast<std::uint8_t>(sequence);
}

[[gnu::hot]] std::optional<FrameHeader> decode_frame_header(ByteView datagram)
{
  if (datagram.size() < frame_overhead || !has_form(datagram, sealed_form)) {
    return std::nullopt;
  }
  return FrameHeader{frame_key_id(datagram.first<3>()), number(datagram.subspan<3, 3>())};
}

[[gnu::hot]] bool is_hello(ByteView datagram) { return has_form(datagram, hello_form); }

[[gnu::hot]] std::uint64_t restore_sequence(std::uint32_t low_bits, std::uint64_t highest)
{
  constexpr std::uint64_t period = std::uint64_t{1} << 24;
  const std::uint64_t same = (highest & ~(period - 1)) | low_bits;
  if (same > highest) {
    return same - highest > period / 2 && same >= period ? same - period : same;
  }
  return highest - same > period / 2 ? same + period : same;
}

std::optional<MutableBytes> take_from_bundle(MutableBytes & rest)
{
  constexpr std::size_t length_size = 2;
  if (rest.size() < length_size) {
    return std::nullopt;
  }
  const auto size = static_cast<std::size_t>(rest[0] << 8 | rest[1]);
  if (size == 0 || size > rest.size() - length_size) {
    return std::nullopt;
  }
  const MutableBytes datagram = rest.subspan(length_size, size);
  rest = rest.subspan(length_size + size);
  return datagram;
}

}  // namespace pqc_tunnel
