// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NODE__MESSAGES__MESSAGES_HPP_
#define PQC_TUNNEL__NODE__MESSAGES__MESSAGES_HPP_

#include <builtin_interfaces/msg/time.hpp>
#include <cstdint>
#include <pqc_msgs/msg/handshake_timing.hpp>
#include <pqc_msgs/msg/link_report.hpp>
#include <pqc_msgs/msg/tunnel_event.hpp>
#include <pqc_msgs/msg/tunnel_status.hpp>
#include <pqc_msgs/srv/rekey.hpp>
#include <string>

#include "base/time.hpp"
#include "protocol/rekey/rekey_command.hpp"
#include "protocol/session/event.hpp"
#include "protocol/session/settings.hpp"
#include "protocol/session/snapshot.hpp"

namespace pqc_tunnel
{

// Converts the engine's data to ROS messages. Nothing here reads a clock.

// One moment on the clocks of the engine and of ROS (nanoseconds since its epoch).
struct ClockPair
{
  Instant engine;
  std::int64_t ros_ns = 0;
};

builtin_interfaces::msg::Time to_stamp(Instant instant, const ClockPair & clocks);

pqc_msgs::msg::HandshakeTiming to_message(const HandshakeTiming & timing);
pqc_msgs::srv::Rekey::Response rekey_response(const RekeyReply & reply);
pqc_msgs::msg::TunnelStatus status_message(
  Role role, const PeerSnapshot & peer, const ClockPair & now);
pqc_msgs::msg::LinkReport link_message(const PeerSnapshot & peer, const ClockPair & now);
// `peer`: name of the event's peer; empty: none.
pqc_msgs::msg::TunnelEvent event_message(
  const Event & event, const std::string & peer, const ClockPair & now);

// Returns whether `after` must be published at once. Changes of counters and ages alone can wait.
bool differs_notably(
  const pqc_msgs::msg::TunnelStatus & before, const pqc_msgs::msg::TunnelStatus & after);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NODE__MESSAGES__MESSAGES_HPP_
