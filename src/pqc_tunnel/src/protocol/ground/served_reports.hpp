// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__GROUND__SERVED_REPORTS_HPP_
#define PQC_TUNNEL__PROTOCOL__GROUND__SERVED_REPORTS_HPP_

#include <cstdint>
#include <optional>
#include <string>

#include "protocol/handshake/likely_cause.hpp"
#include "protocol/handshake/repeated_failure.hpp"
#include "protocol/peer/peer.hpp"

namespace pqc_tunnel
{

// Keeps the trouble of a ground station with one drone: its silence, its failed handshakes, and the hellos that come in
// its name.
class ServedReports
{
public:
  ServedReports(const TunnelSettings & settings, Peer & peer) : settings_(settings), peer_(peer) {}

  // --- Hellos ---
  void note_challenge(Instant now) { ++unanswered_hellos_, heard_of_ = now; }
  void note_wrong_key(Instant now) { wrong_key_ = true, heard_of_ = now; }
  void note_other_version(std::uint8_t version, Instant now) { other_version_ = {version, now}; }
  // A hello proved the PSK, and was one too many.
  void note_crowded(Instant now) { crowded_ = now; }
  // Something else than a first hello has come.
  void note_heard() { unanswered_hellos_ = 0; }

  // --- Handshakes ---
  // Between a prekey and the drone's answer to it.
  void note_round_trip(Duration round_trip) { round_trip_ = round_trip; }
  Duration round_trip() const { return round_trip_; }
  // The same failure is logged at a decreasing rate.
  void report_failed(
    EventKind kind, const FailedHandshake & failed, const Suite * suite, Instant now);
  void note_session_made(Instant now);
  // The drone uses its new keys.
  void note_proved();
  // Returns debug for one more try after a failure.
  std::optional<EventSeverity> severity_of_try() const;
  std::optional<EventSeverity> severity_of_completed() const
  {
    return unconfirmed_since_ ? severity_of_try() : std::nullopt;
  }

  // --- Silence ---
  bool is_lost() const { return lost_since_.has_value(); }
  void handle_received(Instant now);
  void handle_wiped() { lost_since_.reset(); }
  void handle_timeout(Instant now);
  Instant next_timeout() const;

  std::string cause(Instant now) const { return likely_cause(facts(now)); }

private:
  PeerFacts facts(Instant now) const;
  void report_missing_datagrams(Instant now);

  const TunnelSettings & settings_;
  Peer & peer_;
  std::optional<Instant> lost_since_;
  std::optional<FailedHandshake> failed_;  // the newest attempt, if it failed
  Instant failed_at_;
  std::optional<Instant> unconfirmed_since_;  // a session was made; nothing has come since
  std::optional<Instant> next_silence_report_;
  Duration round_trip_{};                     // of the newest attempt
  std::uint32_t unanswered_hellos_ = 0;       // first hellos since something else of it arrived
  bool wrong_key_ = false;                    // of a hello with its id, since the last session
  std::optional<VersionHint> other_version_;  // of a hello with its id
  Instant heard_of_;                // the latest of what unanswered_hellos_ and wrong_key_ tell
  std::optional<Instant> crowded_;  // the latest hello that was one too many
  RepeatedFailure failures_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__GROUND__SERVED_REPORTS_HPP_
