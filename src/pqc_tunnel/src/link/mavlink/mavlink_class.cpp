// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "mavlink_class.hpp"

#include <algorithm>
#include <cstddef>

namespace pqc_tunnel
{
namespace
{

constexpr std::size_t header_1 = 6;
constexpr std::size_t header_2 = 10;
constexpr std::size_t checksum = 2;
constexpr std::size_t signature = 13;
constexpr std::uint8_t flag_signed = 0x01;

struct Frame
{
  std::uint8_t system = 0;
  std::uint8_t component = 0;
  std::uint32_t message = 0;
  ByteView payload;
  std::size_t size = 0;  // bytes of the whole frame
};

std::optional<Frame> parse(ByteView bytes)
{
  Frame frame;
  frame.size = mavlink_frame_size(bytes);
  if (frame.size == 0 || bytes.size() < frame.size) {
    return std::nullopt;
  }
  const std::size_t header = bytes[0] == magic_2 ? header_2 : header_1;
  frame.payload = bytes.subspan(header, bytes[1]);
  const ByteView ids = bytes.subspan(header == header_1 ? 3 : 5);
  frame.system = ids[0];
  frame.component = ids[1];
  frame.message = ids[2];
  if (header == header_2) {
    frame.message |= static_cast<std::uint32_t>(ids[3] << 8 | ids[4] << 16);
  }
  return frame;
}

// The class of a message, and where its payload names the object that it is about.
struct Kind
{
  std::uint32_t message;
  TrafficClass traffic;
  bool newest_counts = false;
  std::uint8_t offset = 0;
  std::uint8_t size = 0;
};

constexpr Kind command(std::uint32_t message) { return {message, TrafficClass::command}; }
constexpr Kind ordered(std::uint32_t message) { return {message, TrafficClass::ordered}; }
// Commands that are sent all the time: a newer one replaces an older one.
constexpr Kind steering(std::uint32_t message, std::uint8_t offset, std::uint8_t size)
{
  return {message, TrafficClass::command, true, offset, size};
}
constexpr Kind state(std::uint32_t message, std::uint8_t offset = 0, std::uint8_t size = 0)
{
  return {message, TrafficClass::telemetry, true, offset, size};
}

// Messages of the dialects common and ardupilotmega, by id. An absent message is telemetry that no newer one replaces,
// because its meaning is unknown.
constexpr Kind kinds[] = {
  command(0),            // HEARTBEAT
  state(1),              // SYS_STATUS
  state(2),              // SYSTEM_TIME
  ordered(5),            // CHANGE_OPERATOR_CONTROL
  ordered(6),            // CHANGE_OPERATOR_CONTROL_ACK
  ordered(7),            // AUTH_KEY
  command(11),           // SET_MODE
  ordered(20),           // PARAM_REQUEST_READ
  ordered(21),           // PARAM_REQUEST_LIST
  ordered(22),           // PARAM_VALUE
  ordered(23),           // PARAM_SET
  state(24),             // GPS_RAW_INT
  state(26),             // SCALED_IMU
  state(27, 26, 1),      // RAW_IMU, id
  state(28),             // RAW_PRESSURE
  state(29),             // SCALED_PRESSURE
  state(30),             // ATTITUDE
  state(31),             // ATTITUDE_QUATERNION
  state(32),             // LOCAL_POSITION_NED
  state(33),             // GLOBAL_POSITION_INT
  state(34, 20, 1),      // RC_CHANNELS_SCALED, port
  state(35, 20, 1),      // RC_CHANNELS_RAW, port
  state(36, 20, 1),      // SERVO_OUTPUT_RAW, port
  ordered(37),           // MISSION_REQUEST_PARTIAL_LIST
  ordered(38),           // MISSION_WRITE_PARTIAL_LIST
  ordered(39),           // MISSION_ITEM
  ordered(40),           // MISSION_REQUEST
  ordered(41),           // MISSION_SET_CURRENT
  ordered(42),           // MISSION_CURRENT
  ordered(43),           // MISSION_REQUEST_LIST
  ordered(44),           // MISSION_COUNT
  ordered(45),           // MISSION_CLEAR_ALL
  ordered(46),           // MISSION_ITEM_REACHED
  ordered(47),           // MISSION_ACK
  command(48),           // SET_GPS_GLOBAL_ORIGIN
  ordered(50),           // PARAM_MAP_RC
  ordered(51),           // MISSION_REQUEST_INT
  state(61),             // ATTITUDE_QUATERNION_COV
  state(62),             // NAV_CONTROLLER_OUTPUT
  state(63),             // GLOBAL_POSITION_INT_COV
  state(64),             // LOCAL_POSITION_NED_COV
  state(65),             // RC_CHANNELS
  ordered(66),           // REQUEST_DATA_STREAM
  ordered(67),           // DATA_STREAM
  steering(69, 10, 1),   // MANUAL_CONTROL, target
  steering(70, 16, 2),   // RC_CHANNELS_OVERRIDE, target
  ordered(73),           // MISSION_ITEM_INT
  state(74),             // VFR_HUD
  command(75),           // COMMAND_INT
  command(76),           // COMMAND_LONG
  command(77),           // COMMAND_ACK
  command(80),           // COMMAND_CANCEL
  steering(82, 36, 2),   // SET_ATTITUDE_TARGET, target
  state(83),             // ATTITUDE_TARGET
  steering(84, 50, 2),   // SET_POSITION_TARGET_LOCAL_NED, target
  state(85),             // POSITION_TARGET_LOCAL_NED
  steering(86, 50, 2),   // SET_POSITION_TARGET_GLOBAL_INT, target
  state(87),             // POSITION_TARGET_GLOBAL_INT
  state(102),            // VISION_POSITION_ESTIMATE
  state(105, 62, 1),     // HIGHRES_IMU, id
  state(109),            // RADIO_STATUS
  ordered(110),          // FILE_TRANSFER_PROTOCOL
  state(111, 0, 8),      // TIMESYNC, tc1: zero in a request
  state(116),            // SCALED_IMU2
  ordered(117),          // LOG_REQUEST_LIST
  ordered(118),          // LOG_ENTRY
  ordered(119),          // LOG_REQUEST_DATA
  ordered(120),          // LOG_DATA
  ordered(121),          // LOG_ERASE
  ordered(122),          // LOG_REQUEST_END
  ordered(123),          // GPS_INJECT_DATA
  state(124),            // GPS2_RAW
  state(125),            // POWER_STATUS
  ordered(126),          // SERIAL_CONTROL
  state(127, 30, 1),     // GPS_RTK, receiver
  state(128, 30, 1),     // GPS2_RTK, receiver
  state(129),            // SCALED_IMU3
  ordered(130),          // DATA_TRANSMISSION_HANDSHAKE
  ordered(131),          // ENCAPSULATED_DATA
  state(132, 11, 1),     // DISTANCE_SENSOR, id
  ordered(133),          // TERRAIN_REQUEST
  ordered(134),          // TERRAIN_DATA
  ordered(135),          // TERRAIN_CHECK
  state(136),            // TERRAIN_REPORT
  state(137),            // SCALED_PRESSURE2
  steering(139, 40, 3),  // SET_ACTUATOR_CONTROL_TARGET, group and target
  state(141),            // ALTITUDE
  ordered(142),          // RESOURCE_REQUEST
  state(143),            // SCALED_PRESSURE3
  state(147, 32, 1),     // BATTERY_STATUS, id
  ordered(148),          // AUTOPILOT_VERSION
  state(152),            // MEMINFO
  ordered(160),          // FENCE_POINT
  ordered(161),          // FENCE_FETCH_POINT
  state(162),            // FENCE_STATUS
  state(163),            // AHRS
  state(164),            // SIMSTATE
  state(165),            // HWSTATUS
  state(168),            // WIND
  state(173),            // RANGEFINDER
  ordered(175),          // RALLY_POINT
  ordered(176),          // RALLY_FETCH_POINT
  state(178),            // AHRS2
  state(181),            // BATTERY2
  state(182),            // AHRS3
  ordered(183),          // AUTOPILOT_VERSION_REQUEST
  ordered(184),          // REMOTE_LOG_DATA_BLOCK
  ordered(185),          // REMOTE_LOG_BLOCK_STATUS
  state(191, 12, 1),     // MAG_CAL_PROGRESS, compass
  ordered(192),          // MAG_CAL_REPORT
  state(193),            // EKF_STATUS_REPORT
  state(194, 24, 1),     // PID_TUNING, axis
  state(226),            // RPM
  state(230),            // ESTIMATOR_STATUS
  state(231),            // WIND_COV
  ordered(233),          // GPS_RTCM_DATA
  state(234),            // HIGH_LATENCY
  state(235),            // HIGH_LATENCY2
  state(241),            // VIBRATION
  state(242),            // HOME_POSITION
  command(243),          // SET_HOME_POSITION
  ordered(244),          // MESSAGE_INTERVAL
  state(245),            // EXTENDED_SYS_STATE
  state(246, 0, 4),      // ADSB_VEHICLE, ICAO address
  state(247, 0, 4),      // COLLISION, id
  ordered(248),          // V2_EXTENSION
  state(250, 20, 10),    // DEBUG_VECT, name
  state(251, 8, 10),     // NAMED_VALUE_FLOAT, name
  state(252, 8, 10),     // NAMED_VALUE_INT, name
  ordered(253),          // STATUSTEXT
  state(254, 8, 1),      // DEBUG, index
  ordered(256),          // SETUP_SIGNING
  ordered(263),          // CAMERA_IMAGE_CAPTURED
  ordered(266),          // LOGGING_DATA
  ordered(267),          // LOGGING_DATA_ACKED
  ordered(268),          // LOGGING_ACK
  state(301, 0, 4),      // AIS_VESSEL, MMSI
  ordered(320),          // PARAM_EXT_REQUEST_READ
  ordered(321),          // PARAM_EXT_REQUEST_LIST
  ordered(322),          // PARAM_EXT_VALUE
  ordered(323),          // PARAM_EXT_SET
  ordered(324),          // PARAM_EXT_ACK
  ordered(345),          // PARAM_ERROR
  ordered(385),          // TUNNEL
  state(390, 196, 1),    // ONBOARD_COMPUTER_STATUS, type: the first one or a spare
  ordered(410),          // EVENT
  ordered(411),          // CURRENT_EVENT_SEQUENCE
  ordered(412),          // REQUEST_EVENT
  ordered(413),          // RESPONSE_EVENT_ERROR
  ordered(11000),        // DEVICE_OP_READ
  ordered(11001),        // DEVICE_OP_READ_REPLY
  ordered(11002),        // DEVICE_OP_WRITE
  ordered(11003),        // DEVICE_OP_WRITE_REPLY
  ordered(11004),        // SECURE_COMMAND
  ordered(11005),        // SECURE_COMMAND_REPLY
  state(11020),          // AOA_SSA
  state(11030),          // ESC_TELEMETRY_1_TO_4
  state(11031),          // ESC_TELEMETRY_5_TO_8
  state(11032),          // ESC_TELEMETRY_9_TO_12
};
static_assert(
  std::ranges::is_sorted(kinds, {}, &Kind::message) &&
  std::ranges::adjacent_find(kinds, {}, &Kind::message) == std::ranges::end(kinds));

Kind kind_of(std::uint32_t message)
{
  const auto * known = std::ranges::lower_bound(kinds, message, {}, &Kind::message);
  const bool found = known != std::ranges::end(kinds) && known->message == message;
  return found ? *known : Kind{message, TrafficClass::telemetry};
}

MessageKey key_of(const Frame & frame, const Kind & kind)
{
  MessageKey key{frame.system, frame.component, frame.message, {}};
  // MAVLink 2 cuts zeros off the end of a payload.
  const std::size_t end = std::min<std::size_t>(frame.payload.size(), kind.offset + kind.size);
  for (std::size_t i = kind.offset; i < end; ++i) {
    key.instance.at(i - kind.offset) = frame.payload[i];
  }
  return key;
}

}  // namespace

[[gnu::hot]] std::size_t mavlink_frame_size(ByteView bytes)
{
  if (bytes.empty() || !begins_mavlink(bytes[0])) {
    return 0;
  }
  const bool is_2 = bytes[0] == magic_2;
  const std::size_t least = (is_2 ? header_2 : header_1) + checksum;
  if (is_2 && bytes.size() > 2 && (bytes[2] & ~flag_signed) != 0) {
    return 0;
  }
  if (bytes.size() < (is_2 ? 3 : 2)) {
    return least;
  }
  return least + bytes[1] + (is_2 && bytes[2] != 0 ? signature : 0);
}

[[gnu::hot]] std::optional<ByteView> take_mavlink_frame(ByteView & rest)
{
  const auto frame = parse(rest);
  if (!frame) {
    return std::nullopt;
  }
  const ByteView bytes = rest.first(frame->size);
  rest = rest.subspan(frame->size);
  return bytes;
}

std::uint32_t mavlink_message(ByteView frame)
{
  const auto parsed = parse(frame);
  return parsed ? parsed->message : 0;
}

DatagramClass classify(ByteView datagram)
{
  DatagramClass result;
  for (std::size_t frames = 1; !datagram.empty(); ++frames) {
    const auto frame = parse(datagram);
    if (!frame) {
      return {};
    }
    datagram = datagram.subspan(frame->size);
    const Kind kind = kind_of(frame->message);
    const auto sender = static_cast<MavlinkSender>(frame->system << 8 | frame->component);
    if (frames == 1) {
      const bool alone = datagram.empty();
      result = {kind.traffic, {}, alone && kind.newest_counts, sender};
      result.key = alone ? std::optional(key_of(*frame, kind)) : std::nullopt;
      continue;
    }
    result.traffic = std::min(result.traffic, kind.traffic);
    result.sender = result.sender == sender ? result.sender : std::nullopt;
  }
  return result;
}

}  // namespace pqc_tunnel
