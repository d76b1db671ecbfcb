// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__ENGINE__LOOP__POLICY_WATCH_HPP_
#define PQC_TUNNEL__ENGINE__LOOP__POLICY_WATCH_HPP_

#include <optional>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "protocol/peer/policy_notice.hpp"
#include "protocol/session/event.hpp"

namespace pqc_tunnel
{

// Whether the policy of one drone is silent, by what the drone's tunnel says of it, at both ends. Sans-I/O.
class PolicyWatch
{
public:
  explicit PolicyWatch(PeerIndex peer) : peer_(peer) {}

  // The event to report if the notice begins or ends the silence.
  std::optional<Event> handle(const PolicyNotice & notice, Instant now);
  // Whoever speaks is not silent: the notice of the end may be lost.
  std::optional<Event> handle_decision(Instant now);
  // A new session may be that of a drone without a policy.
  void forget() { silent_ = false; }
  bool silent() const { return silent_; }

private:
  PeerIndex peer_;
  bool silent_ = false;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__LOOP__POLICY_WATCH_HPP_
