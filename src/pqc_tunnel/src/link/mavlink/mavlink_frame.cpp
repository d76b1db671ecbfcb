// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "mavlink_frame.hpp"

#include <utility>

#include "mavlink_class.hpp"

namespace pqc_tunnel
{
namespace
{

// https://mavlink.io/en/guide/serialization.html: CRC-16/MCRF4XX.
std::uint16_t accumulate(std::uint16_t crc, std::uint8_t byte)
{
  auto mixed = static_cast<std::uint8_t>(byte ^ (crc & 0xff));
  mixed = static_cast<std::uint8_t>(mixed ^ (mixed << 4));
  return static_cast<std::uint16_t>((crc >> 8) ^ (mixed << 8) ^ (mixed << 3) ^ (mixed >> 4));
}

// Appends payload and checksum to the header.
Bytes finish(Bytes frame, std::uint8_t crc_extra, ByteView payload)
{
  frame.insert(frame.end(), payload.begin(), payload.end());
  std::uint16_t crc = 0xffff;
  for (std::size_t i = 1; i < frame.size(); ++i) {
    crc = accumulate(crc, frame[i]);
  }
  crc = accumulate(crc, crc_extra);
  frame.push_back(static_cast<std::uint8_t>(crc & 0xff));
  frame.push_back(static_cast<std::uint8_t>(crc >> 8));
  return frame;
}

}  // namespace

Bytes mavlink_1_frame(const MavlinkHeader & header, ByteView payload)
{
  return finish(
    {magic_1, static_cast<std::uint8_t>(payload.size()), header.sequence, header.system,
     header.component, header.message},
    header.crc_extra, payload);
}

Bytes mavlink_2_frame(const MavlinkHeader & header, ByteView payload)
{
  return finish(
    {magic_2, static_cast<std::uint8_t>(payload.size()), 0, 0, header.sequence, header.system,
     header.component, header.message, 0, 0},
    header.crc_extra, payload);
}

}  // namespace pqc_tunnel
