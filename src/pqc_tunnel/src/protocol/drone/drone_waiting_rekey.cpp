// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// The rekey that waits for its key while others go on.

#include <utility>

#include "drone_end.hpp"

namespace pqc_tunnel
{

// One rekey at a time waits for its key.
bool DroneEnd::waits_for(const Suite & suite) const
{
  return waiting_ && PrekeyKind(*waiting_->suite) == PrekeyKind(suite);
}

// The rekey answers whatever the one under way was to answer.
void DroneEnd::wait_for_key(const WaitingRekey & rekey, Instant now)
{
  waiting_ = rekey;
  waiting_->asked_here = std::exchange(asked_here_, std::nullopt);
  if (gcs_request_ && std::exchange(gcs_request_->under_way, false)) {
    waiting_->asked_there = gcs_request_->transaction;
  }
  fetch(*rekey.suite, true, now);
}

// The fetch may have ended with its session, or the key may have come another way.
void DroneEnd::watch_waiting_rekey(Instant now)
{
  if (!waiting_ || waiting_->anew || find_fetch(*waiting_->suite) != nullptr) {
    return;
  }
  if (may_rekey_by_itself() && !stock_.holds(*waiting_->suite, now)) {
    fetch(*waiting_->suite, true, now);
  }
  begin_waiting_rekey(now);
}

// No key comes.
void DroneEnd::begin_waiting_rekey_anew(Instant now)
{
  waiting_->anew = true;
  begin_waiting_rekey(now);
}

// Begins the rekey that has waited, once its key is there and no other rekey is under way.
void DroneEnd::begin_waiting_rekey(Instant now)
{
  if (!waiting_ || !may_rekey_by_itself()) {
    return;
  }
  const Suite & suite = *waiting_->suite;
  const bool anew = waiting_->anew || peer_.keys().sending()->epoch() == last_epoch;
  if (blacklist_.holds(suite, now)) {
    give_up_waiting_rekey(std::string(suite.id) + " failed lately and is blacklisted", now);
    return;
  }
  if (!anew && !stock_.holds(suite, now)) {
    return;
  }
  const WaitingRekey begun = *std::exchange(waiting_, std::nullopt);
  keep_pace(now);
  asked_here_ = begun.asked_here;
  if (gcs_request_) {
    gcs_request_->under_way = begun.asked_there == gcs_request_->transaction;
  }
  fetched_ = now - begun.since;
  rekey_traffic_ = peer_.key_traffic();
  rekey_traffic_.fetch = begun.traffic.fetch;
  const RekeyKind kind = anew ? RekeyKind::new_session : RekeyKind::full;
  act(rekey_.start(suite, kind, begun.again, peer_.link().retry_time(now), now), now);
}

void DroneEnd::give_up_waiting_rekey(const std::string & text, Instant now)
{
  if (!waiting_) {
    return;
  }
  const WaitingRekey ended = *std::exchange(waiting_, std::nullopt);
  keep_pace(now);
  peer_.report(EventKind::rekey_failed, now, text, ended.suite);
  if (gcs_request_ && ended.asked_there == gcs_request_->transaction) {
    gcs_request_->failed = true;
    peer_.send_control({gcs_request_->transaction, Abort{AbortReason::failed}}, now);
  }
  if (ended.asked_here) {
    peer_.reply(*ended.asked_here, false, text, timing_);
  }
}

}  // namespace pqc_tunnel
