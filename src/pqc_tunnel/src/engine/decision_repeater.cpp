// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "decision_repeater.hpp"

namespace pqc_tunnel
{

DecisionNotice DecisionRepeater::handle(DecisionNotice decision, Instant now)
{
  if (decision.action != DecisionNotice::Action::hold) {
    change_.reset();
    if (decision.changes_suite()) {
      change_ = decision;
      until_ = now + repetition;
    }
    return decision;
  }
  if (change_ && (now >= until_ || decision.from != change_->from)) {
    change_.reset();
  }
  if (change_) {
    decision.action = change_->action;
    decision.ratchet = change_->ratchet;
    decision.rule = change_->rule;
    decision.to = change_->to;
    decision.hold = change_->hold;
  }
  return decision;
}

}  // namespace pqc_tunnel
