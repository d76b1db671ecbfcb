// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "pqc_tunnel/core/key_slots.hpp"

#include <utility>

namespace pqc_tunnel
{

void KeySlots::install_for_sending(std::unique_ptr<Session> session)
{
  // A confirmed predecessor replaces everything older; an unconfirmed one goes beside the last confirmed one.
  if (sending_) {
    if (confirmed_) {
      standby_[0] = std::move(sending_);
      standby_[1].reset();
    } else {
      standby_[1] = std::move(sending_);
    }
  }
  sending_ = std::move(session);
  confirmed_ = false;
}

void KeySlots::install_pending(std::unique_ptr<Session> session)
{
  pending_[1] = std::move(pending_[0]);
  pending_[0] = std::move(session);
}

bool KeySlots::note_received(const Session & session)
{
  if (&session == sending_.get()) {
    return !std::exchange(confirmed_, true);
  }
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    if (&session != pending_[i].get()) {
      continue;
    }
    standby_[0] = std::exchange(sending_, std::move(pending_[i]));
    confirmed_ = true;
    // Older than the promoted one: the drone can't use it any more.
    if (i == 0) {
      pending_[1].reset();
    }
    return true;
  }
  return false;
}

void KeySlots::retire_older()
{
  standby_[0].reset();
  standby_[1].reset();
}

void KeySlots::clear()
{
  retire_older();
  sending_.reset();
  pending_[0].reset();
  pending_[1].reset();
  confirmed_ = false;
}

std::array<Session *, KeySlots::capacity> KeySlots::candidates(const FrameHeader & header)
{
  std::array<Session *, capacity> found = {};
  std::size_t count = 0;
  for (auto * slot : {&pending_[0], &pending_[1], &sending_, &standby_[0], &standby_[1]}) {
    if (*slot && (*slot)->matches(header) && count < capacity) {
      found[count++] = slot->get();
    }
  }
  return found;
}

bool KeySlots::holds(const SessionId & id) const
{
  for (const auto * slot : {&sending_, &pending_[0], &pending_[1], &standby_[0], &standby_[1]}) {
    if (*slot && (*slot)->id() == id) {
      return true;
    }
  }
  return false;
}

}  // namespace pqc_tunnel
