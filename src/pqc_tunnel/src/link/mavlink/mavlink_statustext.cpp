// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "mavlink_statustext.hpp"

#include <cstddef>
#include <string>

#include "base/shown_text.hpp"
#include "mavlink_class.hpp"
#include "mavlink_frame.hpp"

namespace pqc_tunnel
{
namespace
{

// https://mavlink.io/en/messages/common.html#STATUSTEXT
constexpr std::uint8_t message_statustext = 253;
constexpr std::uint8_t statustext_crc_extra = 83;
constexpr std::uint8_t onboard_computer = 191;
constexpr std::size_t max_text = 50;

}  // namespace

Bytes mavlink_statustext(
  std::uint8_t system, std::uint8_t sequence, MavlinkSeverity severity, std::string_view text)
{
  const std::string cut = shown(std::string(text)).substr(0, max_text);
  Bytes payload = {static_cast<std::uint8_t>(severity)};
  payload.insert(payload.end(), cut.begin(), cut.end());
  return mavlink_2_frame(
    {sequence, system, onboard_computer, message_statustext, statustext_crc_extra}, payload);
}

std::uint8_t mavlink_system(ByteView datagram)
{
  const auto frame = take_mavlink_frame(datagram);
  return frame ? (*frame)[(*frame)[0] == magic_2 ? 5 : 3] : std::uint8_t{0};
}

}  // namespace pqc_tunnel
