// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__GROUND__SERVED_CONTEXT_HPP_
#define PQC_TUNNEL__PROTOCOL__GROUND__SERVED_CONTEXT_HPP_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "key_lane.hpp"
#include "prekey_supply.hpp"
#include "protocol/peer/peer.hpp"
#include "served_reports.hpp"

namespace pqc_tunnel
{

// Returns the reason that ABORT gives: the anchor if the job failed by it, else `otherwise`.
inline AbortReason abort_reason(JobError error, AbortReason otherwise)
{
  return error == JobError::unknown_anchor    ? AbortReason::unknown_anchor
         : error == JobError::unusable_anchor ? AbortReason::unusable_anchor
                                              : otherwise;
}

// What a drone proves itself with. A rotation replaces all of it.
struct Credential
{
  KeyAge age;
  SharedPskKeys psk;
  PublicKeys drone_keys;  // mutual mode
  bool signs_former =
    false;  // the drone knows the ground station's signing keys before the present ones
  bool accepted = true;  // a session may begin with it
};

// The sessions and the rekeys of one served drone share this.
struct ServedContext
{
  const TunnelSettings & settings;
  PrekeySupply & supply;
  RandomSource & random;
  Outbox & outbox;
  Peer & peer;
  DroneRecord record;                   // without keys
  std::vector<Credential> credentials;  // the newest first
  ServedReports reports;
  HandshakeTiming timing = {};
  std::optional<AnchorKind> anchor = std::nullopt;  // that the newest keys were made with
  std::uint32_t handshakes = 0;

  // Takes the keys from a record. A PSK that is known already stays the same object.
  void use(DroneRecord from);
  // Null if sessions with this PSK are no use any more.
  const Credential * find(const SharedPskKeys & psk) const;

  // Says why the suite can't be used with the drone in a session with this PSK; empty if it can.
  std::string objection(const Suite & suite, const SharedPskKeys & psk) const;
  std::vector<const Suite *> usable_suites(const SharedPskKeys & psk) const;

  // Returns the secrets of the anchor; null if there are none, or `anchor` is off.
  std::shared_ptr<AnchorSecrets> anchor_secrets() const
  {
    return settings.anchor == AnchorUse::off ? nullptr : record.anchor;
  }

  // Returns the job that checks a Finish, without a secret of the live session.
  CompleteFinish job_of(
    const KeyLane::Exchange & exchange, PrekeySecret prekey, ByteView finish) const;
  // Installs new keys for receiving, before the drone learns that it may send.
  void install(
    const KeyLane::Exchange & exchange, const SessionId & session, FinishCompleted completed,
    Channel channel, Instant now);
  // Answers exchanges until the drone proves its new keys: CONFIRM again and again, RATCHET_OK when it asks.
  void send_answers(Instant now);
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__GROUND__SERVED_CONTEXT_HPP_
