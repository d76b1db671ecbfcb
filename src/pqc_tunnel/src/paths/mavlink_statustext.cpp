// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "mavlink_statustext.hpp"

#include <cstddef>
#include <string>

#include "mavlink_class.hpp"
#include "pqc_tunnel/base/shown_text.hpp"

namespace pqc_tunnel
{
namespace
{

// https://mavlink.io/en/guide/serialization.html, https://mavlink.io/en/messages/common.html#STATUSTEXT
constexpr std::uint8_t magic_2 = 0xfd;
constexpr std::uint8_t message_statustext = 253;
constexpr std::uint8_t crc_extra = 83;
constexpr std::uint8_t onboard_computer = 191;
constexpr std::size_t max_text = 50;

// CRC-16/MCRF4XX.
std::uint16_t accumulate(std::uint16_t crc, std::uint8_t byte)
{
  auto mixed = static_cast<std::uint8_t>(byte ^ (crc & 0xff));
  mixed = static_cast<std::uint8_t>(mixed ^ (mixed << 4));
  return static_cast<std::uint16_t>((crc >> 8) ^ (mixed << 8) ^ (mixed << 3) ^ (mixed >> 4));
}

}  // namespace

Bytes mavlink_statustext(
  std::uint8_t system, std::uint8_t sequence, MavlinkSeverity severity, std::string_view text)
{
  const std::string cut = shown(std::string(text)).substr(0, max_text);
  // Zeros at the end of a payload do not travel.
  const auto length = static_cast<std::uint8_t>(1 + cut.size());
  Bytes frame = {magic_2, length, 0, 0, sequence, system, onboard_computer, message_statustext,
                 0,       0};
  frame.push_back(static_cast<std::uint8_t>(severity));
  frame.insert(frame.end(), cut.begin(), cut.end());
  std::uint16_t crc = 0xffff;
  for (std::size_t i = 1; i < frame.size(); ++i) {
    crc = accumulate(crc, frame[i]);
  }
  crc = accumulate(crc, crc_extra);
  frame.push_back(static_cast<std::uint8_t>(crc & 0xff));
  frame.push_back(static_cast<std::uint8_t>(crc >> 8));
  return frame;
}

std::uint8_t mavlink_system(ByteView datagram)
{
  const auto frame = take_mavlink_frame(datagram);
  if (!frame) {
    return 0;
  }
  return (*frame)[0] == magic_2 ? (*frame)[5] : (*frame)[3];
}

}  // namespace pqc_tunnel
