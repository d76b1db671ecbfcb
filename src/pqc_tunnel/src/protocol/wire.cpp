// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "pqc_tunnel/protocol/wire.hpp"

#include <algorithm>

#include "base/byte_io.hpp"

namespace pqc_tunnel
{

std::array<std::uint8_t, 4> header_suite(const SuiteWireId & id)
{
  return {id.kem, id.kem_param, id.sig, id.sig_param};
}

void encode(const FrameHeader & header, std::span<std::uint8_t, frame_header_size> out)
{
  out[0] =
    static_cast<std::uint8_t>(protocol_version << 4 | static_cast<std::uint8_t>(header.type));
  std::ranges::copy(header.suite, out.begin() + 1);
  std::ranges::copy(header.session.bytes, out.begin() + 5);
  for (std::size_t i = 0; i < 8; ++i) {
    out[13 + i] = static_cast<std::uint8_t>(header.sequence >> (56 - 8 * i));
  }
  out[21] = static_cast<std::uint8_t>(header.epoch);
}

std::optional<FrameHeader> decode_frame_header(ByteView datagram)
{
  if (datagram.size() < frame_header_size + tag_size) {
    return std::nullopt;
  }
  ByteReader in(datagram.first(frame_header_size));
  const std::uint8_t version_and_type = in.u8();
  const std::uint8_t type = version_and_type & 0x0f;
  if (
    version_and_type >> 4 != protocol_version ||
    type > static_cast<std::uint8_t>(FrameType::control))
  {
    return std::nullopt;
  }
  FrameHeader header;
  header.type = FrameType{type};
  header.suite = in.array<4>();
  header.session = in.id<SessionId>();
  header.sequence = in.u64();
  header.epoch = Epoch{in.u8()};
  return header;
}

}  // namespace pqc_tunnel
