// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// The drone erases its whole identity because its ground station asks for it.

#include "drone_end.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr int copies = 3;
constexpr Duration farewell = std::chrono::seconds(2);

}  // namespace

// A recorded request proves nothing in another session, and in this one its frame is a replay.
void DroneEnd::handle_erase(std::uint32_t transaction, const Erase & erase, Instant now)
{
  const EpochKeys & live = *peer_.keys().sending();
  const PskKeys & psk = live.psk()->of(live.suite().wire_id);
  if (!constant_time_equal(erase.mac, erase_mac(psk, live.id(), transaction))) {
    ++peer_.traffic().control_ignored;
    return;
  }
  if (erasure_) {
    answer_erase(now);  // the answer was lost, or the job is at work
    return;
  }
  if (!settings_.erase_on_request) {
    if (std::exchange(refused_erase_, transaction) != transaction) {
      peer_.report(
        EventKind::refused, now,
        "the ground station asks to erase all keys, but erase_on_request is false");
    }
    peer_.send_control({transaction, Erased{Erasure::not_allowed}}, now);
    return;
  }
  erasure_ = ErasureUnderWay{transaction, {}, {}, {}};
  if (identity_.all) {
    erasure_->job = outbox_.start(EraseKeys{identity_.all}, peer_.index());
  } else {
    handle_keys_erased({}, now);
  }
}

void DroneEnd::handle_keys_erased(const std::optional<std::string> & problem, Instant now)
{
  erasure_->job.reset();
  erasure_->outcome = problem ? Erasure::failed : Erasure::done;
  erasure_->end = now + farewell;
  if (problem) {
    peer_.report(EventKind::refused, now, "not all keys could be erased: " + *problem);
  }
  answer_erase(now);
}

// Several copies, since nobody acknowledges them.
void DroneEnd::answer_erase(Instant now)
{
  for (int copy = 0; erasure_->outcome && copy < copies; ++copy) {
    peer_.send_control({erasure_->transaction, Erased{*erasure_->outcome}}, now);
  }
}

void DroneEnd::watch_erasure(Instant now)
{
  if (erasure_ && erasure_->outcome && now >= erasure_->end && !erased_) {
    erased_ = true;  // first: no session begins any more
    wipe("the ground station has asked to erase all keys of this drone", now);
    next_attempt_.reset();
    use({identity_.name, identity_.id, Psk(), identity_.gcs_id, {}, {}});
  }
}

}  // namespace pqc_tunnel
