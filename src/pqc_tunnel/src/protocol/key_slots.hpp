// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__KEY_SLOTS_HPP_
#define PQC_TUNNEL__PROTOCOL__KEY_SLOTS_HPP_

#include <array>
#include <memory>
#include <vector>

#include "epoch_keys.hpp"
#include "installed_keys.hpp"
#include "pqc_tunnel/base/time.hpp"

namespace pqc_tunnel
{

// The few epochs that one end holds at a time: the one it sends under, and others that it still or already receives.
//
// Drone: sending is always the newest; `standby` holds the last confirmed one and one that never was.
// GCS: sending is the newest promoted one, `standby` the one before; `pending` are installed for receiving only, until a
// packet under one promotes it. The drone therefore never sends under keys the GCS hasn't installed, and the GCS never
// under keys the drone hasn't.
// The rest of `standby` are keys that further rekeys have displaced before their overlap was over: datagrams under them
// may still be on their way.
class KeySlots
{
public:
  static constexpr std::size_t max_candidates = 4;

  EpochKeys * sending() { return sending_.get(); }
  const EpochKeys * sending() const { return sending_.get(); }

  // Drone: send and receive under new keys from now on. The old ones are received until retired.
  void install_for_sending(std::unique_ptr<EpochKeys> keys);
  // GCS: receive under new keys; at most two wait, the older gives way.
  void install_pending(std::unique_ptr<EpochKeys> keys);

  // Marks the session as proved by a packet of the peer under it. On the GCS a pending one becomes the sending one.
  // True if that changed anything: promoted (GCS) or confirmed (drone).
  bool note_received(const EpochKeys & keys);
  bool confirmed() const { return confirmed_; }

  // The sending keys are proved: older ones are received until then, and no longer.
  void retire_older_at(Instant when);
  void handle_timeout(Instant now);
  Instant next_timeout() const;
  bool has_older() const;
  void clear();

  // Sessions that could have sealed a packet with this header, newest first; null past the last.
  std::array<EpochKeys *, max_candidates> candidates(const FrameHeader & header);
  bool holds(const SessionId & id) const;
  // What is held, newest first, for whoever watches.
  std::vector<InstalledKeys> installed() const;

private:
  struct Older
  {
    std::unique_ptr<EpochKeys> keys;
    Instant until = Instant::max();

    void reset() { *this = {}; }
  };
  void fade(Older & former);

  std::unique_ptr<EpochKeys> sending_;
  std::array<Older, 5>
    standby_;  // the last confirmed, one never confirmed, then displaced ones, newest first
  std::array<std::unique_ptr<EpochKeys>, 2> pending_;  // newest first
  bool confirmed_ = false;                             // a packet has arrived under sending_
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__KEY_SLOTS_HPP_
