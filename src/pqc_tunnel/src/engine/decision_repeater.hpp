// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__ENGINE__DECISION_REPEATER_HPP_
#define PQC_TUNNEL__ENGINE__DECISION_REPEATER_HPP_

#include <optional>

#include "pqc_tunnel/base/time.hpp"
#include "protocol/drone_notices.hpp"

namespace pqc_tunnel
{

// What a drone tells of its decisions. The policy decides for a change of the suite once and then waits for it; that
// one notice may be lost, or replaced by the next one on a thin link. So the decisions to wait that follow are told as
// the change, with their own inputs: for a time, until the suite in use changes or the policy decides for something
// else. Sans-I/O.
class DecisionRepeater
{
public:
  static constexpr Duration repetition = std::chrono::seconds(10);

  // To be called for each decision; what to tell of it.
  DecisionNotice handle(DecisionNotice decision, Instant now);

private:
  std::optional<DecisionNotice> change_;
  Instant until_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__DECISION_REPEATER_HPP_
