// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "decision_announcer.hpp"

namespace pqc_tunnel
{
namespace
{

using Action = DecisionNotice::Action;

bool is_pressing(Action action)
{
  return action == Action::down || action == Action::down_to_lightest || action == Action::rollback;
}

// The suite without the prefix that all have, so that the line fits.
std::string line_of(const DecisionNotice & decision)
{
  std::string suite(decision.to->id);
  if (suite.starts_with("cs-")) {
    suite.erase(0, 3);
  }
  return "PQC " + decision.rule + ": " + suite;
}

}  // namespace

std::optional<Announcement> DecisionAnnouncer::handle(const DecisionNotice & decision, Instant now)
{
  if (decision.from != nullptr && decision.from == target_) {
    target_ = nullptr;  // the change is done: the same one may come again
  }
  if (decision.to != nullptr && decision.to != decision.from && decision.to != target_) {
    waiting_ = decision;
  }
  if (!waiting_ || (next_ && now < *next_)) {
    return std::nullopt;
  }
  target_ = waiting_->to;
  next_ = now + announcement_interval;
  Announcement line{
    is_pressing(waiting_->action) ? MavlinkSeverity::warning : MavlinkSeverity::info,
    line_of(*waiting_)};
  waiting_.reset();
  return line;
}

}  // namespace pqc_tunnel
