// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "key_slots.hpp"

#include <algorithm>
#include <utility>

namespace pqc_tunnel
{
namespace
{

std::array<std::uint8_t, 16> transcript_tag(const EpochKeys & keys)
{
  std::array<std::uint8_t, 16> tag = {};
  std::copy_n(keys.transcript().begin(), tag.size(), tag.begin());
  return tag;
}

}  // namespace

void KeySlots::install_for_sending(std::unique_ptr<EpochKeys> keys)
{
  keys->enter(owner_);
  // A confirmed predecessor replaces all older keys; an unconfirmed one is kept beside the last confirmed one.
  if (confirmed_) {
    keep_displaced(standby_[1]);
    keep_displaced(standby_[0]);
    standby_[0] = {std::move(sending_)};
  } else {
    standby_[1] = {std::move(sending_)};
  }
  sending_ = std::move(keys);
  confirmed_ = false;
}

void KeySlots::install_pending(std::unique_ptr<EpochKeys> keys, const ExchangeAnswer & answer)
{
  keys->enter(owner_);
  pending_[1] = std::move(pending_[0]);
  pending_[0] = {std::move(keys), answer};
}

KeySlots::Pending * KeySlots::find_pending(const Random32 & drone_random)
{
  const auto found = std::ranges::find_if(pending_, [&](const Pending & pending) {
    return pending.keys && pending.answer.drone_random == drone_random;
  });
  return found == pending_.end() ? nullptr : &*found;
}

[[gnu::hot]] bool KeySlots::note_received(const EpochKeys & keys)
{
  if (&keys == sending_.get()) {
    return !std::exchange(confirmed_, true);
  }
  const auto proved =
    std::ranges::find(pending_, &keys, [](const Pending & pending) { return pending.keys.get(); });
  if (proved == pending_.end()) {
    return false;
  }
  keep_displaced(standby_[0]);
  standby_[0] = {std::exchange(sending_, std::move(proved->keys))};
  confirmed_ = true;
  // The drone can no longer use keys that are older than the promoted ones.
  std::for_each(proved, pending_.end(), [](Pending & pending) { pending = {}; });
  return true;
}

// Moves keys to the displaced ones; drops the oldest of these if there is no room.
void KeySlots::keep_displaced(Older & former)
{
  constexpr std::size_t first_displaced = 2;
  if (former.keys) {
    const auto first = standby_.begin() + first_displaced;
    std::move_backward(first, standby_.end() - 1, standby_.end());
    *first = std::move(former);
  }
  former = {};
}

void KeySlots::retire_older_at(Instant when, Instant late_from)
{
  for (Older & older : standby_) {
    if (older.keys && older.until == Instant::max()) {
      older.until = when;
      older.keys->refuse_from(late_from);
    }
  }
}

void KeySlots::handle_timeout(Instant now)
{
  for (Older & older : standby_) {
    if (now >= older.until) {
      older = {};
    }
  }
}

Instant KeySlots::next_timeout() const
{
  Instant next = Instant::max();
  for (const Older & older : standby_) {
    next = std::min(next, older.until);
  }
  return next;
}

void KeySlots::clear()
{
  standby_ = {};
  sending_.reset();
  pending_ = {};
  confirmed_ = false;
}

std::vector<InstalledKeys> KeySlots::installed() const
{
  std::vector<InstalledKeys> held;
  held.reserve(pending_.size() + 1 + standby_.size());
  const auto add = [&held, this](const std::unique_ptr<EpochKeys> & slot, KeyUse use) {
    if (slot) {
      held.push_back(
        {use, &slot->suite(), slot->id(), slot->epoch(), transcript_tag(*slot), slot->send_id(),
         slot->receive_id(), slot->sent(), use == KeyUse::sending && confirmed_, slot->layers()});
    }
  };
  add(pending_[0].keys, KeyUse::pending);
  add(pending_[1].keys, KeyUse::pending);
  add(sending_, KeyUse::sending);
  for (const Older & older : standby_) {
    add(older.keys, KeyUse::older);
  }
  return held;
}

}  // namespace pqc_tunnel
