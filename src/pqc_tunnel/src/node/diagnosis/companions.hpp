// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NODE__DIAGNOSIS__COMPANIONS_HPP_
#define PQC_TUNNEL__NODE__DIAGNOSIS__COMPANIONS_HPP_

#include <cstdint>
#include <optional>

#include "base/time.hpp"
#include "diagnosis.hpp"
#include "protocol/peer/policy_notice.hpp"

namespace pqc_tunnel
{

// Watches the programs that a drone's tunnel depends on and that can end without it: the source of the
// MAVLink (MAVROS or a router) and the policy. Not thread-safe.
class Companions
{
public:
  // `expects_policy`: a policy that has not decided some time after the start counts as silent.
  Companions(bool expects_policy, Instant start) : expects_policy_(expects_policy), start_(start) {}

  // `packets`: datagrams received on the plaintext side since the tunnel started.
  void handle_mavlink(std::uint64_t packets, Instant now);
  void handle_armed(bool armed) { armed_ = armed; }
  void handle_decision(Instant now) { last_decision_ = now; }

  // Returns what to report of the policy; none while it decides or is not expected. Call it once a second.
  std::optional<PolicyNotice> take_policy_notice(Instant now);

  // A silent source is an error while the vehicle is armed, else a warning; a silent policy is an error unless the
  // vehicle is known to be disarmed. A program that never sent anything is missed only if it is expected.
  Diagnosis diagnose(Instant now) const;

private:
  bool policy_is_silent(Instant now) const;

  bool expects_policy_;
  Instant start_;
  bool told_silence_ = false;
  std::uint64_t packets_ = 0;
  std::optional<Instant> last_mavlink_;
  std::optional<Instant> last_decision_;
  std::optional<bool> armed_;  // as sensing reported it last
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NODE__DIAGNOSIS__COMPANIONS_HPP_
