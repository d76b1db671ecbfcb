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

// GCS: how it answered the exchange that made new keys, CONFIRM or RATCHET_OK.
struct ExchangeAnswer
{
  ControlFrame frame;
  Random32 drone_random = {};
  std::optional<Backoff> retry;  // none: it goes again only when the drone asks
  Instant next = Instant::max();
};

// The epochs that one end holds at a time: the one for sending, and older or newer ones for receiving only.
//
// Drone: `sending_` is always the newest epoch; `standby_` holds the last confirmed one and one that was never confirmed.
// GCS: `sending_` is the newest promoted epoch, `standby_` holds the one before. `pending_` are installed for receiving
// only; a packet under one promotes it. The drone therefore never sends under keys that the GCS has not installed, and
// vice versa.
// The other entries of `standby_` are keys that further rekeys have displaced before the end of their overlap: datagrams
// under them may still arrive.
class KeySlots
{
public:
  static constexpr std::size_t max_candidates = 4;

  EpochKeys * sending() { return sending_.get(); }
  const EpochKeys * sending() const { return sending_.get(); }
  // GCS: keys that the drone may hold but has not proved, newest first; null where there are none.
  struct Pending
  {
    std::unique_ptr<EpochKeys> keys;
    ExchangeAnswer answer;
  };
  std::array<Pending, 2> & pending() { return pending_; }
  const std::array<Pending, 2> & pending() const { return pending_; }
  // Those of the exchange that the drone began with this value; null: none.
  Pending * find_pending(const Random32 & drone_random);

  // Drone: sends and receives under new keys from now on. The old keys receive until they are retired.
  void install_for_sending(std::unique_ptr<EpochKeys> keys);
  // GCS: receives under new keys. At most two are pending; a third replaces the older one.
  void install_pending(std::unique_ptr<EpochKeys> keys, const ExchangeAnswer & answer = {});

  // Handles a packet of the peer under these keys: confirms the sending keys or, on the GCS, promotes pending ones. True
  // if that changed anything.
  bool note_received(const EpochKeys & keys);
  bool confirmed() const { return confirmed_; }

  // When the sending keys are confirmed: until when the older ones are kept, and from when on what comes under them is
  // refused as late.
  void retire_older_at(Instant when, Instant late_from);
  void handle_timeout(Instant now);
  Instant next_timeout() const;
  bool empty() const { return !sending_ && !pending_[0].keys; }  // pending: newest first
  void clear();

  // Keys that could have sealed a packet with this key id, newest first; null after the last.
  std::array<EpochKeys *, max_candidates> candidates(FrameKeyId id);
  bool holds(FrameKeyId id) const;
  // All keys, newest first, for status reports.
  std::vector<InstalledKeys> installed() const;

private:
  struct Older
  {
    std::unique_ptr<EpochKeys> keys;
    Instant until = Instant::max();

    void reset() { *this = {}; }
  };
  void keep_displaced(Older & former);

  std::unique_ptr<EpochKeys> sending_;
  std::array<Older, 5>
    standby_;  // the last confirmed, one never confirmed, then displaced ones, newest first
  std::array<Pending, 2> pending_;
  bool confirmed_ = false;  // a packet has arrived under sending_
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__SESSION__KEY_SLOTS_HPP_
