// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "decision_announcer.hpp"

#include "protocol/decision_names.hpp"

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
std::string line_of(const std::string & what, const Suite & to)
{
  std::string suite(to.id);
  if (suite.starts_with("cs-")) {
    suite.erase(0, 3);
  }
  return "PQC " + what + ": " + suite;
}

}  // namespace

std::optional<Announcement> DecisionAnnouncer::handle(const DecisionNotice & decision, Instant now)
{
  note_suite_in_use(decision.from);
  note_change(decision, now);
  if (decision.cue != cue_) {
    cue_ = decision.cue;
    cue_is_said_ = false;
  }
  if (next_ && now < *next_) {
    return std::nullopt;
  }
  auto line = next_line(now);
  if (line) {
    next_ = now + announcement_interval;
  }
  return line;
}

void DecisionAnnouncer::note_suite_in_use(const Suite * suite)
{
  if (suite == nullptr || suite == in_use_) {
    return;
  }
  const bool is_told = suite == target_ || (waiting_ && suite == waiting_->to);
  if (in_use_ != nullptr && !is_told) {
    waiting_ = Change{nullptr, {MavlinkSeverity::info, line_of("now", *suite)}};
  }
  in_use_ = suite;
}

void DecisionAnnouncer::note_change(const DecisionNotice & decision, Instant now)
{
  const bool is_done = decision.from != nullptr && decision.from == target_;
  if (is_done || now - tried_ > forgotten_after) {
    target_ = nullptr;  // the same change may come again
  }
  const bool changes = decision.changes_suite();
  if (changes && decision.to != target_) {
    const auto severity =
      is_pressing(decision.action) ? MavlinkSeverity::warning : MavlinkSeverity::info;
    waiting_ = Change{decision.to, {severity, line_of(decision.rule, *decision.to)}};
  }
  if (changes || decision.hold == hold_under_way || decision.hold == hold_retry) {
    tried_ = now;
  }
}

std::optional<Announcement> DecisionAnnouncer::next_line(Instant now)
{
  if (waiting_) {
    if (waiting_->to != nullptr) {
      target_ = waiting_->to;
    }
    const Announcement line = waiting_->line;
    waiting_.reset();
    return line;
  }
  if (cue_ == 0 || cue_is_said_ || now < next_cue_[cue_]) {
    return std::nullopt;
  }
  cue_is_said_ = true;
  next_cue_[cue_] = now + cue_interval;
  return Announcement{MavlinkSeverity::warning, "PQC " + std::string(cue_text(cue_))};
}

}  // namespace pqc_tunnel
