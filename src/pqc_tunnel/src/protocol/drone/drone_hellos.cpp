// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// The drone's first half of new sessions: the hellos of an attempt, and what answers them.

#include <algorithm>
#include <utility>

#include "drone_end.hpp"

namespace pqc_tunnel
{

void DroneEnd::begin_session(const Suite & suite, bool for_rekey, Instant now)
{
  end_attempt(now);
  next_attempt_.reset();
  Attempt & attempt = attempt_.emplace(Attempt{});
  attempt.suite = &suite;
  attempt.for_rekey = for_rekey;
  attempt.credential = credential_of_next_session(for_rekey);
  attempt.started = attempt.heard = attempt.progress = attempt.phase = now;
  attempt.hello.drone_id = identity_.id;
  random_.fill(attempt.hello.client_random);
  attempt.hello.suite = suite.wire_id;
  attempt.hello.mode =
    static_cast<std::uint8_t>(settings_.mode.to_wire() | (uses_anchor() ? anchor_bit : 0));
  attempt.hello.policy_hash = policy_hash_;
  if (const EpochKeys * keys = peer_.keys().sending()) {
    attempt.former = keys->resume();
    attempt.hello.former = keys->former_id();
  }
  attempt.frame = encode(attempt.hello);
  const PskKeys & psk = attempt.credential.psk->of(suite.wire_id);
  append_mac(attempt.frame, psk, psk.hello);
  peer_.report(
    EventKind::handshake_started, now, "handshake started", &suite, Epoch{}, severity_of_try());
  send_hello(now);
}

// Every address that may be right gets the first hello if it has sent no challenge, and otherwise the second ones for those
// that it has sent. Another address gets one for each challenge that comes from there, and no more: nothing shows who is there.
void DroneEnd::send_hello(Instant now)
{
  attempt_->next_hello = now + attempt_->retry.next(random_);
  attempt_->hello_sent = attempt_->challenged ? attempt_->hello_sent : now;
  std::vector<Endpoint> addresses = gcs_addresses_;
  if (std::ranges::find(addresses, peer_.address()) == addresses.end()) {
    addresses.push_back(peer_.address());
  }
  for (const Endpoint & to : addresses) {
    const auto has_challenged = [&to](const SecondHello & second) {
      return std::ranges::find(second.to, to) != second.to.end();
    };
    if (std::ranges::none_of(attempt_->second, has_challenged)) {
      send_hello(attempt_->frame, to);
    }
    for (const SecondHello & second : attempt_->second) {
      if (has_challenged(second)) {
        send_hello(second.frame, to);
      }
    }
  }
}

void DroneEnd::send_hello(ByteView frame, const Endpoint & to)
{
  if (to.family != AddressFamily::none) {
    outbox_.push(SendDatagram{peer_.index(), to, Bytes(frame.begin(), frame.end())});
  }
}

void DroneEnd::handle_hello(ByteView frame, const Endpoint & from, Instant now)
{
  const auto type = hello_type(frame);
  if (!type || *type == HelloType::client_hello) {
    peer_.traffic().count(Drop::malformed);
    handle_other_version(frame, from, now);
    return;
  }
  const PskKeys * psk =
    attempt_ ? &attempt_->credential.psk->of(attempt_->suite->wire_id) : nullptr;
  const auto answers = [&](const Bytes & hello) {
    return mac_holds(frame, *psk, psk->retry, hello);
  };
  if (
    psk == nullptr || (!answers(attempt_->frame) &&
                       std::ranges::none_of(attempt_->second, answers, &SecondHello::frame)))
  {
    // An answer to an earlier hello, or a stranger's.
    if (*type == HelloType::hello_retry && !(attempt_ && attempt_->challenged)) {
      handle_late_retry(frame, now);
    }
  } else if (*type == HelloType::hello_retry) {
    handle_retry(frame, from, now);
  } else {
    handle_reject(frame, now);
  }
}

// Whoever listens can have challenges made for other addresses, and be faster than the right one: until the ground station
// shows which boot keys it has, each challenge counts. None makes boot keys twice.
void DroneEnd::handle_retry(ByteView frame, const Endpoint & from, Instant now)
{
  std::size_t challenges = 0;
  for (const SecondHello & second : attempt_->second) {
    challenges += second.to.size();
  }
  if (attempt_->answered || challenges >= max_challenges) {
    return;
  }
  const Random32 challenge = parse_hello_retry(frame);
  const auto known = std::ranges::find(attempt_->second, challenge, &SecondHello::challenge);
  if (known != attempt_->second.end()) {
    if (std::ranges::find(known->to, from) == known->to.end()) {
      known->to.push_back(from);
    }
    send_hello(known->frame, from);
    return;
  }
  const Suite & suite = *attempt_->suite;
  const PskKeys & psk = attempt_->credential.psk->of(suite.wire_id);
  ClientHello hello = attempt_->hello;
  hello.challenge = challenge;
  SecondHello & second =
    attempt_->second.emplace_back(SecondHello{challenge, encode(hello), {from}});
  append_mac(second.frame, psk, psk.hello);
  peer_.offer_boot(
    suite, boot_secrets(psk, suite.aead, hello.client_random, challenge), ground_at(from),
    gcs_addresses_, prekey_size(suite, settings_.mode).max, now);
  send_hello(second.frame, from);
  if (!std::exchange(attempt_->challenged, true)) {
    forget_failure(HandshakeFailure::unanswered);
    attempt_->timing.connect = round_trip_ = now - attempt_->started;
    attempt_->heard = attempt_->progress = attempt_->phase = now;
    attempt_->retry.reset();
    attempt_->next_hello = now + attempt_->retry.next(random_);
  }
}

// This address, or the configured one on its link if it may be anybody's.
Endpoint DroneEnd::ground_at(const Endpoint & from) const
{
  const auto & known = gcs_addresses_;
  if (from == peer_.address() || std::ranges::find(known, from) != known.end()) {
    return from;
  }
  const auto configured = std::ranges::find(known, from.link, &Endpoint::link);
  return configured != known.end() ? *configured : peer_.address();
}

void DroneEnd::handle_other_version(ByteView frame, const Endpoint & from, Instant now)
{
  const auto other = other_version(frame);
  if (!other || std::ranges::find(gcs_addresses_, from) == gcs_addresses_.end()) {
    return;
  }
  const bool again = version_now(other_version_, now) == other->version;
  other_version_ = VersionHint{other->version, now, again ? other_version_->count + 1 : 1};
  if (const std::uint8_t version = facts(now).other_version; version != 0) {
    peer_.report(
      EventKind::refused, now, "frame of the ground station dropped: " + version_conflict(version),
      nullptr, {}, version_reports_.note("", false, now).severity);
  }
}

// The attempt has ended, but the answer shows how slow the link is: this attempt or the next one waits for so long. Each
// hello is answered once, so that a recorded answer says nothing.
void DroneEnd::handle_late_retry(ByteView frame, Instant now)
{
  const auto answered = std::ranges::find_if(former_hellos_, [&](const FormerHello & hello) {
    const PskKeys & psk = hello.psk->of(hello.suite->wire_id);
    return mac_holds(frame, psk, psk.retry, hello.frame);
  });
  if (answered != former_hellos_.end()) {
    round_trip_ = now - answered->sent;
    late_answer_ = LateAnswer{round_trip_, now};
    former_hellos_.erase(answered);
  }
}

void DroneEnd::handle_reject(ByteView frame, Instant now)
{
  const auto reason = parse_reject(frame);
  if (!reason || !attempt_->challenged) {
    return;
  }
  const std::string id(attempt_->suite->id);
  switch (*reason) {
    case RejectReason::policy_mismatch:
      handle_attempt_failed(
        {HandshakeFailure::policy_mismatch, "the ground station must be configured alike"}, now);
      return;
    case RejectReason::suite_refused:
      handle_attempt_failed(
        {HandshakeFailure::suite_refused, "the ground station can't use " + id + missing_there},
        now);
      return;
    case RejectReason::busy:
      handle_attempt_failed({HandshakeFailure::busy, "the ground station is busy"}, now);
      return;
    case RejectReason::failed:
      break;
  }
  handle_attempt_failed(
    {HandshakeFailure::authenticated, "the ground station refuses the handshake"}, now);
}

}  // namespace pqc_tunnel
