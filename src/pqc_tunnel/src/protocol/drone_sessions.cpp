// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// The drone's half of new sessions: the attempts, their outcome, and which failures blacklist a suite.

#include <algorithm>
#include <utility>

#include "drone_end.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr Duration probe_patience = std::chrono::seconds(2);

template <class Alternative>
const Alternative * result_of(const JobResult & result)
{
  return std::get_if<Alternative>(&result);
}

FailedHandshake failure_of(const JobFailed & failed)
{
  switch (failed.error) {
    case JobError::authenticated:
      return {HandshakeFailure::authenticated, failed.text};
    case JobError::unauthenticated:
      return {HandshakeFailure::unauthenticated, failed.text};
    case JobError::unavailable:
      break;
  }
  return {HandshakeFailure::unavailable, failed.text};
}

}  // namespace

// --- Hellos ---

void DroneEnd::begin_session(const Suite & suite, bool for_rekey, Instant now)
{
  end_attempt(now);
  next_attempt_.reset();
  Attempt & attempt = attempt_.emplace(Attempt{});
  attempt.suite = &suite;
  attempt.for_rekey = for_rekey;
  attempt.started = attempt.heard = attempt.progress = attempt.phase = now;
  attempt.hello.drone_id = identity_.id;
  random_.fill(attempt.hello.client_random);
  attempt.hello.suite = suite.wire_id;
  attempt.hello.mode = settings_.mode.to_wire();
  attempt.hello.policy_hash = policy_hash_;
  attempt.frame = encode(attempt.hello);
  append_mac(attempt.frame, psk_->of(suite.wire_id), psk_->of(suite.wire_id).hello);
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
  const PskKeys * psk = attempt_ ? &psk_->of(attempt_->suite->wire_id) : nullptr;
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
  const PskKeys & psk = psk_->of(suite.wire_id);
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
    const PskKeys & psk = psk_->of(hello.suite->wire_id);
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

// --- Under the boot keys ---

void DroneEnd::handle_boot(Peer::Received & received, Instant now)
{
  if (!attempt_) {
    return;
  }
  if (received.chosen_boot) {
    attempt_->frame = std::move(attempt_->second.at(*received.chosen_boot).frame);
    attempt_->second.clear();
  }
  if (!std::exchange(attempt_->answered, true)) {
    note_answered(now);
    for (const auto refusal :
         {HandshakeFailure::policy_mismatch, HandshakeFailure::suite_refused,
          HandshakeFailure::busy})
    {
      forget_failure(refusal);
    }
  }
  attempt_->heard = now;
  if (received.control) {
    handle_boot_control(*received.control, now);
  } else if (received.message && !attempt_->job && !attempt_->finish) {
    const Suite & suite = *attempt_->suite;
    attempt_->timing.hello = now - attempt_->phase;
    attempt_->phase = now;
    attempt_->job = outbox_.start(VerifyPrekey{
      &suite, settings_.mode, identity_.gcs_id, identity_.gcs_keys.at(suite.signature),
      bind_to_hello(attempt_->frame), std::move(*received.message)});
  }
}

// The second hello and its answer measure the round trip better than the first ones, which may have been sent while the
// ground station was not there: the handshake began with the hello that was answered.
void DroneEnd::note_answered(Instant now)
{
  const Instant challenged = attempt_->phase;
  round_trip_ = std::min(round_trip_, now - challenged);
  Duration & connect = attempt_->timing.connect;
  connect = std::min(connect, std::max(challenged - attempt_->hello_sent, round_trip_));
  attempt_->started = challenged - connect;
}

void DroneEnd::handle_boot_control(const ControlFrame & frame, Instant now)
{
  if (const auto * confirm = std::get_if<Confirm>(&frame.body)) {
    if (attempt_->finish && constant_time_equal(confirm->mac, attempt_->finish->confirmation)) {
      handle_session_made(now);
    }
  } else if (const auto * abort = std::get_if<Abort>(&frame.body)) {
    const bool refused = abort->reason == AbortReason::suite_refused;
    const std::string id(attempt_->suite->id);
    handle_attempt_failed(
      refused ? FailedHandshake{HandshakeFailure::suite_refused,
                                "the ground station can't use " + id + missing_there}
              : FailedHandshake{HandshakeFailure::authenticated,
                                "the ground station refuses the handshake"},
      now);
  } else if (std::holds_alternative<Later>(frame.body)) {
    attempt_->progress = now;
  } else if (std::holds_alternative<Wiped>(frame.body)) {
    handle_attempt_failed({HandshakeFailure::timeout, "it has wiped its keys"}, now);
  } else {
    ++peer_.traffic().control_ignored;
  }
}

void DroneEnd::handle_attempt_job(JobResult result, Instant now)
{
  attempt_->job.reset();
  attempt_->progress = now;
  const Suite & suite = *attempt_->suite;
  if (const auto * failed = result_of<JobFailed>(result)) {
    handle_attempt_failed(failure_of(*failed), now);
  } else if (auto * prekey = std::get_if<VerifiedPrekey>(&result)) {
    if (!stock_.is_new(prekey->key_id)) {
      handle_attempt_failed(
        {HandshakeFailure::authenticated, "the ground station used an ephemeral key twice"}, now);
      return;
    }
    attempt_->job = outbox_.start(MakeFinish{
      &suite, settings_.mode, psk_, SecretBytes(), signing_key(suite), attempt_->frame,
      std::move(*prekey)});
  } else if (auto * made = std::get_if<FinishMade>(&result)) {
    Bytes message{static_cast<std::uint8_t>(KeyMessageType::finish)};
    message.insert(message.end(), made->finish.begin(), made->finish.end());
    attempt_->timing.derive = now - attempt_->phase;
    attempt_->phase = now;
    attempt_->finish = std::move(*made);
    peer_.send_message(Channel::boot, StreamClass::foreground, std::move(message), now);
  }
}

void DroneEnd::handle_session_made(Instant now)
{
  const Suite & suite = *attempt_->suite;
  const bool for_rekey = attempt_->for_rekey;
  FinishMade made = std::move(*attempt_->finish);
  timing_ = made.timing;
  timing_.total = now - attempt_->started;
  timing_.connect = attempt_->timing.connect;
  timing_.hello = attempt_->timing.hello;
  timing_.derive = attempt_->timing.derive;
  timing_.answer = now - attempt_->phase;
  round_trip_ = std::min(round_trip_, timing_.answer);
  peer_.use_round_trip(round_trip_);
  former_hellos_.clear();
  late_answer_.reset();
  const Endpoint confirmed_from = peer_.boot_address();
  auto clock = peer_.clock(Channel::boot);
  end_attempt(now);
  lost_since_.reset();
  failed_.reset();
  trouble_ = GroundTrouble::none;
  ++handshakes_;
  stock_.clear();
  fetch_.reset();
  verify_job_.reset();
  not_offered_.clear();
  next_prefetch_.reset();
  exchange_.reset();
  peer_.reset_session_streams();
  session_transcript_ = made.secrets.transcript;
  blacklist_.clear();
  // Repeated until something arrives, if nothing ever does.
  const auto severity = unconfirmed_since_ ? severity_of_try() : std::nullopt;
  if (!for_rekey && !unconfirmed_since_) {
    unconfirmed_since_ = now;
  }
  const SessionId session = made.secrets.session;
  peer_.keys().install_for_sending(std::make_unique<EpochKeys>(
    EpochName{&suite, session, Epoch{}}, Role::drone, std::move(made.secrets), settings_, now,
    std::move(clock)));
  peer_.start_listening(now);
  peer_.note_alive(now);
  peer_.use_address(confirmed_from, now);
  for (const Endpoint & address : gcs_addresses_) {
    peer_.paths().set_remote(address, now);
  }
  peer_.report(
    EventKind::handshake_completed, now, "handshake completed", &suite, Epoch{}, severity);
  if (for_rekey) {
    peer_.report(EventKind::rekey_committed, now, "sending under new keys", &suite, Epoch{});
    act(rekey_.handle_installed(now), now);
  } else {
    // Any frame proves the new keys to the ground station; this one goes at once.
    peer_.send_control({0, Keepalive{}}, now);
  }
}

// --- Failures ---

std::optional<EventSeverity> DroneEnd::severity_of_try() const
{
  return failures_.failing() ? std::optional(EventSeverity::debug) : std::nullopt;
}

void DroneEnd::end_attempt(Instant now)
{
  attempt_.reset();
  peer_.end_boot(now);
}

// The attempt under way has come beyond it.
void DroneEnd::forget_failure(HandshakeFailure failure)
{
  if (failed_ && failed_->failure == failure) {
    failed_.reset();
  }
}

void DroneEnd::handle_attempt_failed(const FailedHandshake & failed, Instant now)
{
  const Suite & suite = *attempt_->suite;
  const bool for_rekey = attempt_->for_rekey;
  if (failed.failure == HandshakeFailure::unanswered) {
    round_trip_ = {};
    former_hellos_.push_back({&suite, std::move(attempt_->frame), attempt_->started});
    if (former_hellos_.size() > max_challenges) {
      former_hellos_.pop_front();
    }
  }
  end_attempt(now);
  PeerFacts known = facts(now);
  known.has_keys = false;  // the cause of this failure, even if there are older keys
  known.failed = failed;
  const std::string cause = likely_cause(known);
  const bool blames_suite = failed.failure == HandshakeFailure::authenticated ||
                            failed.failure == HandshakeFailure::suite_refused ||
                            failed.failure == HandshakeFailure::unavailable;
  if (for_rekey && rekey_.phase() == Rekey::Phase::renewing) {
    peer_.report(EventKind::handshake_failed, now, "handshake failed: " + cause, &suite);
    act(
      blames_suite || failed.failure == HandshakeFailure::policy_mismatch
        ? rekey_.handle_failed(blames_suite, cause)
        : rekey_.handle_session_failed(cause, now),
      now);
    return;
  }
  failed_ = failed;
  const auto entry = failures_.note(cause, failed.failure == HandshakeFailure::unanswered, now);
  const std::string text = entry.severity == EventSeverity::info
                             ? "waiting for the ground station at " + settings_.ground.name
                             : "handshake failed: " + entry.text;
  peer_.report(EventKind::handshake_failed, now, text, &suite, Epoch{}, entry.severity);
  next_attempt_ = now + reconnect_.next(random_);
}

// --- Loss and return of the peer ---

void DroneEnd::handle_silence(Instant now)
{
  lost_since_ = now;
  if (peer_.keys().confirmed()) {
    peer_.report(EventKind::peer_lost, now, likely_cause(facts(now)));
  } else {
    const auto entry = failures_.note(likely_cause(facts(now)), false, now);
    peer_.report(EventKind::peer_lost, now, entry.text, nullptr, {}, entry.severity);
  }
  handle_loss(now);
}

void DroneEnd::handle_wiped(Instant now)
{
  if (lost_since_) {
    return;  // a new session is being made already
  }
  lost_since_ = now;
  peer_.report(EventKind::peer_lost, now, "the ground station has wiped the keys of this session");
  handle_loss(now);
}

void DroneEnd::handle_loss(Instant now)
{
  act(rekey_.handle_session_lost(), now);
  exchange_.reset();
  end_attempt(now);
  // Nothing ever came under these keys: handshakes pass and the rest does not. More of them without a pause would not help.
  next_attempt_ = peer_.keys().confirmed() ? now : now + reconnect_.next(random_);
}

// The peer was only silent: its keys are still valid, so no new session is needed. That is known only of keys that it has
// confirmed, and only from an answer to a question asked since: anything else may have been held back.
void DroneEnd::handle_return(Instant now)
{
  if (!lost_since_ || !peer_.keys().confirmed() || peer_.last_answered() < *lost_since_) {
    return;
  }
  lost_since_.reset();
  next_attempt_.reset();
  end_attempt(now);
  reconnect_.reset();
  failed_.reset();
  failures_.reset();
  peer_.report(EventKind::peer_back, now, "the ground station answers again");
}

void DroneEnd::watch_attempt(Instant now)
{
  if (!attempt_) {
    return;
  }
  if (!attempt_->answered && now >= attempt_->heard + patience()) {
    if (attempt_->challenged) {
      handle_attempt_failed(
        {HandshakeFailure::timeout, "the ground station answers the first hello only"}, now);
    } else {
      handle_attempt_failed({HandshakeFailure::unanswered, "no answer"}, now);
    }
  } else if (attempt_->answered && now >= end_of_patience()) {
    handle_attempt_failed({HandshakeFailure::timeout, ""}, now);
  } else if (!attempt_->answered && now >= attempt_->next_hello) {
    send_hello(now);
  }
  if (
    attempt_ && !attempt_->challenged && !attempt_->probed && !gcs_addresses_.empty() &&
    now >= attempt_->started + probe_patience)
  {
    attempt_->probed = true;
    if (trouble_ == GroundTrouble::unreachable || trouble_ == GroundTrouble::refused) {
      trouble_ = GroundTrouble::none;  // the probe tells it anew
    }
    outbox_.push(ProbeGround{gcs_addresses_.front()});
  }
}

// Of an attempt that has been answered. A ground station at work says so.
Instant DroneEnd::end_of_patience() const
{
  if (attempt_->job) {
    return Instant::max();
  }
  const Instant progress = std::max(attempt_->progress, peer_.stream_progress(Channel::boot));
  return std::min(
    std::max(attempt_->heard, attempt_->progress) + patience(),
    progress + progress_patience + std::min(round_trip_, longest_round_trip));
}

Instant DroneEnd::attempt_timeout() const
{
  if (!attempt_) {
    return next_attempt_.value_or(Instant::max());
  }
  if (attempt_->answered) {
    return end_of_patience();
  }
  Instant next = std::min(attempt_->next_hello, attempt_->heard + patience());
  if (!attempt_->challenged && !attempt_->probed && !gcs_addresses_.empty()) {
    next = std::min(next, attempt_->started + probe_patience);
  }
  return next;
}

}  // namespace pqc_tunnel
