// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__SESSION__KEY_SLOTS_HPP_
#define PQC_TUNNEL__PROTOCOL__SESSION__KEY_SLOTS_HPP_

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "backoff.hpp"
#include "base/time.hpp"
#include "epoch_keys.hpp"
#include "installed_keys.hpp"
#include "protocol/wire/control_frame.hpp"

namespace pqc_tunnel
{

// GCS: the answer to the exchange that made new keys, CONFIRM or RATCHET_OK.
struct ExchangeAnswer
{
  ControlFrame frame;
  Random32 drone_random = {};
  std::optional<Backoff> retry;  // none: it is repeated only when the drone asks
  Instant next = Instant::max();
};

// The epochs that one end holds at a time: one for sending, and older or newer ones for receiving only.
//
// Drone: `sending_` is the newest epoch; `standby_` holds the last confirmed one and one that was never confirmed.
// GCS: `sending_` is the newest promoted epoch, and `standby_` holds its predecessor. `pending_` only receive, until a
// packet under one promotes it. So neither end sends under keys that the other has not installed.
// The other entries of `standby_` are keys that further rekeys displaced before the end of their overlap, because
// datagrams under them may still arrive.
class KeySlots
{
public:
  static constexpr std::size_t max_candidates = 4;

  KeySlots() = default;
  explicit KeySlots(const KeyOwner & owner) : owner_(owner) {}

  EpochKeys * sending() { return sending_.get(); }
  const EpochKeys * sending() const { return sending_.get(); }
  // GCS: keys that the drone may hold but has not proved, newest first; an unused entry has null keys.
  struct Pending
  {
    std::unique_ptr<EpochKeys> keys;
    ExchangeAnswer answer;
  };
  std::array<Pending, 2> & pending() { return pending_; }
  const std::array<Pending, 2> & pending() const { return pending_; }
  // Returns the keys of the exchange that the drone began with this value; null: none.
  Pending * find_pending(const Random32 & drone_random);

  // Drone: makes new keys the sending keys. The old keys receive until they are retired.
  void install_for_sending(std::unique_ptr<EpochKeys> keys);
  // GCS: adds keys for receiving. At most two are pending; a third replaces the older one.
  void install_pending(std::unique_ptr<EpochKeys> keys, const ExchangeAnswer & answer = {});

  // Handles a packet of the peer under these keys: confirms the sending keys or, on the GCS, promotes pending ones.
  // Returns true if that changed anything.
  bool note_received(const EpochKeys & keys);
  bool confirmed() const { return confirmed_; }

  // Call it when the sending keys are confirmed. Drops the older ones at `when`, and refuses packets under them as late
  // from `late_from` on.
  void retire_older_at(Instant when, Instant late_from);
  void handle_timeout(Instant now);
  Instant next_timeout() const;
  bool empty() const { return !sending_ && !pending_[0].keys; }  // pending_[0] is filled first
  void clear();

  // Calls add(keys) for those that can open a packet with this key id, newest first, at most max_candidates.
  template <class Add>
  void candidates(FrameKeyId id, Add && add)
  {
    std::size_t count = 0;
    const auto offer = [&](const std::unique_ptr<EpochKeys> & slot) {
      if (slot && slot->receive_id() == id && count++ < max_candidates) {
        add(*slot);
      }
    };
    offer(pending_[0].keys);
    offer(pending_[1].keys);
    offer(sending_);
    for (const Older & older : standby_) {
      offer(older.keys);
    }
  }
  // Returns all keys, newest first, for status reports.
  std::vector<InstalledKeys> installed() const;

private:
  struct Older
  {
    std::unique_ptr<EpochKeys> keys;
    Instant until = Instant::max();

    void reset() { *this = {}; }
  };
  void keep_displaced(Older & former);

  KeyOwner owner_;
  std::unique_ptr<EpochKeys> sending_;
  // The last confirmed keys, keys that were never confirmed, then displaced ones, newest first.
  std::array<Older, 5> standby_;
  std::array<Pending, 2> pending_;
  bool confirmed_ = false;  // a packet has arrived under sending_
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__SESSION__KEY_SLOTS_HPP_
