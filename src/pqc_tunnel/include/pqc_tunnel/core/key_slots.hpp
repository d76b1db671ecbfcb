// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CORE__KEY_SLOTS_HPP_
#define PQC_TUNNEL__CORE__KEY_SLOTS_HPP_

#include <array>
#include <memory>
#include <optional>

#include "pqc_tunnel/core/session.hpp"
#include "pqc_tunnel/core/time.hpp"

namespace pqc_tunnel
{

// The few epochs that one end holds at a time: the one it sends under, and others that it still or already receives.
//
// Drone: sending is always the newest; `standby` are older ones (the last confirmed, and one that never was).
// GCS: sending is the newest promoted one, `standby[0]` the one before; `pending` are installed for receiving only,
// until a packet under one promotes it. The drone therefore never sends under keys the GCS hasn't installed, and the
// GCS never under keys the drone hasn't.
class KeySlots
{
public:
  static constexpr std::size_t capacity = 4;

  Session * sending() { return sending_.get(); }
  const Session * sending() const { return sending_.get(); }

  // Drone: send and receive under new keys from now on. The old ones are received until retired.
  void install_for_sending(std::unique_ptr<Session> session);
  // GCS: receive under new keys; at most two wait, the older gives way.
  void install_pending(std::unique_ptr<Session> session);

  // Marks the session as proved by a packet of the peer under it. On the GCS a pending one becomes the sending one.
  // True if that changed anything: promoted (GCS) or confirmed (drone).
  bool note_received(const Session & session);
  bool confirmed() const { return confirmed_; }

  // After the overlap: forgets every key older than the sending one.
  void retire_older();
  bool has_older() const { return standby_[0] || standby_[1]; }
  void clear();

  // Sessions that could have sealed a packet with this header, newest first; null past the last.
  std::array<Session *, capacity> candidates(const FrameHeader & header);
  bool holds(const SessionId & id) const;

private:
  std::unique_ptr<Session> sending_;
  std::array<std::unique_ptr<Session>, 2> standby_;
  std::array<std::unique_ptr<Session>, 2> pending_;  // newest first
  bool confirmed_ = false;                           // a packet has arrived under sending_
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CORE__KEY_SLOTS_HPP_
