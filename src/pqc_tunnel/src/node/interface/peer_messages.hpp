// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NODE__INTERFACE__PEER_MESSAGES_HPP_
#define PQC_TUNNEL__NODE__INTERFACE__PEER_MESSAGES_HPP_

#include <optional>
#include <pqc_msgs/msg/peer_message.hpp>

#include "node/messages/messages.hpp"
#include "protocol/peer/output.hpp"

namespace pqc_tunnel
{

pqc_msgs::msg::PeerMessage peer_message(const NoticeArrived & arrived, const ClockPair & now);

// Returns the notice to send. None for an empty message, and for the kind in which the tunnel itself reports on the
// policy, which no other program may send.
std::optional<Notice> notice_from(const pqc_msgs::msg::PeerMessage & message);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NODE__INTERFACE__PEER_MESSAGES_HPP_
