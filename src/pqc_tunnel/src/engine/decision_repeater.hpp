// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__ENGINE__DECISION_REPEATER_HPP_
#define PQC_TUNNEL__ENGINE__DECISION_REPEATER_HPP_

#include <optional>

#include "pqc_tunnel/base/time.hpp"
#include "protocol/drone_notices.hpp"

namespace pqc_tunnel
{

// What a drone tells of its decisions. The policy asks for another suite in one decision, and waits in those that
// follow. The notice of that one decision may get lost, and on a thin link a newer one may replace it. The repeater
// therefore tells the waiting decisions as the change, with their own inputs. It stops after a time, when the suite in
// use changes, and when the policy decides for something else. Sans-I/O.
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
