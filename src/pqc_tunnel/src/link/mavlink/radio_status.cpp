// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "radio_status.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "mavlink_class.hpp"
#include "mavlink_frame.hpp"

namespace pqc_tunnel
{
namespace
{

// https://mavlink.io/en/messages/common.html#RADIO_STATUS, and RADIO of older radios.
constexpr std::uint8_t message_radio_status = 109;
constexpr std::uint8_t message_radio = 166;
constexpr std::uint8_t radio_status_crc_extra = 185;
// The ids that telemetry radios use.
constexpr std::uint8_t system_of_radio = 51;
constexpr std::uint8_t component_of_radio = 68;
constexpr std::uint8_t signal_unknown = 255;
// A failsafe of the autopilot may take any other value as a sign that the ground hears it.
constexpr std::uint8_t remote_signal_unknown = 0;

// ArduPilot speeds its streams up above 90 % of room and slows them below 50 %; PX4 above 50 % and below 35 %. At
// this value neither changes anything.
constexpr std::uint8_t steady_room = 50;
constexpr Duration longest_scarcity = std::chrono::seconds(3);  // a longer pause ends a scarcity
constexpr Duration soon = std::chrono::seconds(20);
constexpr Duration shortest_hold = std::chrono::seconds(4);
constexpr Duration longest_hold = std::chrono::seconds(30);
constexpr Duration status_interval = std::chrono::seconds(1);
constexpr Duration radio_memory = std::chrono::seconds(10);

}  // namespace

[[gnu::hot]] void RadioStatus::look_for_radio(ByteView datagram)
{
  while (const auto frame = take_mavlink_frame(datagram)) {
    is_mavlink_ = true;
    const std::uint32_t message = mavlink_message(*frame);
    hears_radio_ = hears_radio_ || message == message_radio_status || message == message_radio;
  }
}

std::optional<Bytes> RadioStatus::next(Duration load, Duration longest, Instant now)
{
  silent_until_ = std::exchange(hears_radio_, false) ? now + radio_memory : silent_until_;
  if (!is_mavlink_ || now < std::max(next_, silent_until_)) {
    return std::nullopt;
  }
  next_ = now + status_interval;
  const auto free = static_cast<std::uint8_t>(100 * std::max(Duration{}, longest - load) / longest);
  if (free < steady_room) {
    const bool is_new = now > scarce_ + longest_scarcity;
    const bool is_soon = now < scarce_ + hold_ + soon;
    hold_ = is_new && is_soon ? std::clamp(2 * hold_, shortest_hold, longest_hold)
            : is_new          ? Duration{}
                              : hold_;
    scarce_ = now;
  }
  const std::uint8_t room = now < scarce_ + hold_ ? std::min(free, steady_room) : free;
  // The report has no errors and no corrected errors, and leaves the noise at both ends unknown.
  const std::array<std::uint8_t, 9> payload = {
    0, 0, 0, 0, signal_unknown, remote_signal_unknown, room, signal_unknown, signal_unknown};
  return mavlink_1_frame(
    {sequence_++, system_of_radio, component_of_radio, message_radio_status,
     radio_status_crc_extra},
    payload);
}

}  // namespace pqc_tunnel
