// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "served_reports.hpp"

#include <algorithm>

namespace pqc_tunnel
{
namespace
{

constexpr std::uint32_t hellos_until_unheard = 8;
// Without a hello: what was wrong with the last ones says nothing any more.
constexpr Duration hello_memory = std::chrono::minutes(1);
// The drone tries a rekey, and then a new session, before its keys count as overdue.
constexpr Duration overdue_patience = std::chrono::minutes(2);

}  // namespace

// --- Handshakes ---

void ServedReports::report_failed(
  EventKind kind, const FailedHandshake & failed, const Suite * suite, Instant now)
{
  const bool in_use = peer_.keys().sending() != nullptr && !lost_since_;
  PeerFacts known = facts(now);
  known.has_keys = false;  // the cause of this failure, even if there are older keys
  known.failed = failed;
  if (!in_use) {
    failed_ = failed;
    failed_at_ = now;
  }
  const auto entry = failures_.note(likely_cause(known), false, now);
  const char * what = kind == EventKind::refused ? "handshake refused: " : "handshake failed: ";
  peer_.report(kind, now, what + entry.text, suite, Epoch{}, entry.severity);
}

void ServedReports::note_session_made(Instant now)
{
  failed_.reset();
  wrong_key_ = false;
  other_version_.reset();
  unconfirmed_since_ = unconfirmed_since_.value_or(now);
  next_silence_report_ = now + datagram_patience + round_trip_;
}

void ServedReports::note_proved()
{
  unconfirmed_since_.reset();
  next_silence_report_.reset();
  failed_.reset();
  failures_.reset();
}

std::optional<EventSeverity> ServedReports::severity_of_try() const
{
  return failures_.failing() ? std::optional(EventSeverity::debug) : std::nullopt;
}

// --- Silence ---

[[gnu::hot]] void ServedReports::handle_received(Instant now)
{
  if (lost_since_ && peer_.link().last_answered() >= *lost_since_) {
    lost_since_.reset();
    peer_.report(EventKind::peer_back, now, "the drone answers again");
  }
}

void ServedReports::handle_timeout(Instant now)
{
  const bool has_keys = peer_.keys().sending() != nullptr;
  if (!lost_since_ && has_keys && now >= peer_.link().lost_from()) {
    lost_since_ = now;
    peer_.report(EventKind::peer_lost, now, cause(now));
  }
  report_missing_datagrams(now);
}

void ServedReports::report_missing_datagrams(Instant now)
{
  if (!next_silence_report_ || now < *next_silence_report_) {
    return;
  }
  const Instant due = *unconfirmed_since_ + datagram_patience + round_trip_;
  if (now < due) {
    next_silence_report_ = due;  // that of a newer attempt is longer
    return;
  }
  next_silence_report_.reset();
  if (peer_.link().last_heard() < *unconfirmed_since_) {
    const auto entry = failures_.note(cause(now), false, now);
    peer_.report(EventKind::handshake_failed, now, entry.text, nullptr, Epoch{}, entry.severity);
  }
}

Instant ServedReports::next_timeout() const
{
  const bool watched = peer_.keys().sending() != nullptr && !lost_since_;
  return std::min(
    watched ? peer_.link().lost_from() : Instant::max(),
    next_silence_report_.value_or(Instant::max()));
}

// --- What is known ---

PeerFacts ServedReports::facts(Instant now) const
{
  const EpochKeys * keys = peer_.keys().sending();
  PeerFacts facts = peer_.facts(now);
  facts.lost = lost_since_.has_value();
  facts.unconfirmed = unconfirmed_since_ && peer_.link().last_heard() < *unconfirmed_since_ &&
                      now >= *unconfirmed_since_ + datagram_patience + round_trip_;
  facts.other_version = version_now(other_version_, now);
  facts.overdue = keys != nullptr && settings_.max_key_age > Duration{} &&
                  now >= keys->exchanged() + settings_.max_key_age + overdue_patience;
  facts.crowded = crowded_ && now < *crowded_ + hello_memory;
  if (now < heard_of_ + hello_memory) {
    facts.wrong_key = wrong_key_;
    facts.unheard_here = unanswered_hellos_ >= hellos_until_unheard;
  }
  if (now < failed_at_ + hello_memory) {
    facts.failed = failed_;
  }
  return facts;
}

}  // namespace pqc_tunnel
