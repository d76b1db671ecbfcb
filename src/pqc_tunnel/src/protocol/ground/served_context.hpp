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

// The sessions and the rekeys of one served drone share this.
struct ServedContext
{
  const TunnelSettings & settings;
  PrekeySupply & supply;
  RandomSource & random;
  Outbox & outbox;
  Peer & peer;
  DroneRecord record;
  SharedPskKeys psk;
  ServedReports reports;
  HandshakeTiming timing = {};
  std::optional<AnchorKind> anchor = std::nullopt;  // that the newest keys were made with
  std::uint32_t handshakes = 0;

  // Says why the suite can't be used with the drone; empty if it can.
  std::string objection(const Suite & suite) const;
  std::vector<const Suite *> usable_suites() const;

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
