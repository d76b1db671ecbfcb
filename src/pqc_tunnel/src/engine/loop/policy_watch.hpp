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

// Notes whether the policy of one drone is silent, from the notices of the drone's tunnel. Both ends use it. Sans-I/O.
class PolicyWatch
{
public:
  explicit PolicyWatch(PeerIndex peer) : peer_(peer) {}

  // Returns the event to report if the notice begins or ends the silence. Decisions that pass contradict a notice of
  // silence: its sender has not found a new policy in the graph yet.
  std::optional<Event> handle(const PolicyNotice & notice, Instant now);
  // A decision of the policy ends the silence, since the notice of its end may get lost.
  std::optional<Event> handle_decision(Instant now);
  // Call it at a new session, which may be that of a drone without a policy.
  void forget() { silent_ = false; }
  bool silent() const { return silent_; }

private:
  PeerIndex peer_;
  bool silent_ = false;
  std::optional<Instant> decided_;  // when a decision passed last
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__LOOP__POLICY_WATCH_HPP_
