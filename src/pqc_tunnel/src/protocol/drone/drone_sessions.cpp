// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// The drone's half of new sessions after the hellos: what happens under the boot keys, the outcome of an attempt, and which
// failures blacklist a suite.

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
    case JobError::unknown_anchor:
    case JobError::unusable_anchor:
      return {HandshakeFailure::unknown_anchor, failed.text};
    case JobError::unavailable:
      break;
  }
  return {HandshakeFailure::unavailable, failed.text};
}

FailedHandshake failure_of(AbortReason reason, const Suite & suite)
{
  switch (reason) {
    case AbortReason::suite_refused:
      return {
        HandshakeFailure::suite_refused,
        "the ground station can't use " + std::string(suite.id) + missing_there};
    case AbortReason::unknown_anchor:
      return {
        HandshakeFailure::unknown_anchor,
        "the ground station does not know the key of its anchor that this drone uses, or it was "
        "used before: the ground station's anchor was replaced, so update this drone's identity"};
    case AbortReason::unusable_anchor:
      return {
        HandshakeFailure::unknown_anchor,
        "the ground station can't use its anchor: its log names the file"};
    default:
      return {HandshakeFailure::authenticated, "the ground station refuses the handshake"};
  }
}

}  // namespace

const Suite & DroneEnd::suite_of_next_session(Instant now) const
{
  std::vector<const Suite *> usable = usable_;
  std::erase_if(usable, [&](const Suite * suite) { return blacklist_.holds(*suite, now); });
  // Before the first session no link has an address that is proved, but the first one is likely to carry it.
  const LinkSettings & first = settings_.paths.links.front();
  const auto configured = first.is_thin() ? std::optional(first.bytes_per_s()) : std::nullopt;
  const auto found = peer_.paths().stream_rate();
  return first_suite(*settings_.initial_suite, usable, settings_.mode, found ? found : configured);
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
      &suite, settings_.mode, identity_.gcs_id, attempt_->credential.gcs_keys.at(suite.signature),
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
    handle_attempt_failed(failure_of(abort->reason, *attempt_->suite), now);
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
    MakeFinish job{
      &suite,
      settings_.mode,
      attempt_->credential.psk,
      Resumption(),
      signing_key(attempt_->credential, suite),
      attempt_->frame,
      std::move(*prekey),
      now};
    job.anchor = uses_anchor() ? identity_.anchor : nullptr;
    job.anchor_choice =
      one_time_keys_.take(now) ? AnchorChoice::one_time_first : AnchorChoice::last_resort_first;
    if (job.prekey.former) {
      job.former = std::move(attempt_->former);
    }
    attempt_->job = outbox_.start(std::move(job));
  } else if (auto * made = std::get_if<FinishMade>(&result)) {
    Bytes message{static_cast<std::uint8_t>(KeyMessageType::finish)};
    message.insert(message.end(), made->finish.begin(), made->finish.end());
    attempt_->timing.derive = now - attempt_->phase;
    attempt_->phase = now;
    attempt_->finish = std::move(*made);
    peer_.send_message(Channel::boot, StreamLane::foreground, std::move(message), now);
  }
}

void DroneEnd::handle_session_made(Instant now)
{
  const Suite & suite = *attempt_->suite;
  const bool for_rekey = attempt_->for_rekey;
  FinishMade made = std::move(*attempt_->finish);
  const SharedPskKeys psk = attempt_->credential.psk;
  timing_ = made.timing;
  timing_.total = now - attempt_->started;
  timing_.connect = attempt_->timing.connect;
  timing_.hello = attempt_->timing.hello;
  timing_.derive = attempt_->timing.derive;
  timing_.answer = now - attempt_->phase;
  round_trip_ = std::min(round_trip_, timing_.answer);
  peer_.link().use_round_trip(round_trip_);
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
  not_offered_.clear();
  end_fetches();
  exchange_.reset();
  peer_.reset_session_streams();
  session_transcript_ = made.secrets.transcript;
  anchor_ = made.anchor;
  blacklist_.clear();
  stands_in_ = !for_rekey && &suite != settings_.initial_suite;
  // Repeated until something arrives, if nothing ever does.
  const auto severity = unconfirmed_since_ ? severity_of_try() : std::nullopt;
  if (!for_rekey && !unconfirmed_since_) {
    unconfirmed_since_ = now;
  }
  const SessionId session = made.secrets.session;
  send_under(std::make_unique<EpochKeys>(
    EpochName{&suite, session, Epoch{}, 0, {}, psk}, Role::drone, std::move(made.secrets),
    settings_, now, std::move(clock)));
  peer_.link().start_listening(now);
  peer_.link().note_alive(now);
  peer_.use_address(confirmed_from, now);
  for (const Endpoint & address : gcs_addresses_) {
    peer_.paths().set_remote(address, now);
  }
  peer_.report(
    EventKind::handshake_completed, now, completed_text(made.anchor), &suite, Epoch{}, severity);
  peer_.report_protection(now);
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
    former_hellos_.push_back(
      {&suite, attempt_->credential.psk, std::move(attempt_->frame), attempt_->started});
    turn_ += for_rekey ? 0 : 1;
    if (former_hellos_.size() > max_challenges) {
      former_hellos_.pop_front();
    }
  }
  end_attempt(now);
  PeerFacts known = facts(now);
  known.has_keys = false;  // the cause of this failure, even if there are older keys
  known.failed = failed;
  const bool for_newest = for_rekey && rekey_.kind() == RekeyKind::newest_keys;
  const std::string cause = for_newest && failed.failure == HandshakeFailure::unanswered
                              ? "the ground station does not answer to the newer keys of this "
                                "drone: it may not have them yet"
                              : likely_cause(known);
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
  if (blames_suite && &suite != settings_.initial_suite) {
    blacklist_.add(suite, now);  // the next attempt takes another one
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
  give_up_waiting_rekey(session_lost, now);
  exchange_.reset();
  end_attempt(now);
  // Nothing ever came under these keys: handshakes pass and the rest does not. More of them without a pause would not help.
  next_attempt_ = peer_.keys().confirmed() ? now : now + reconnect_.next(random_);
}

// The peer was only silent: its keys are still valid, so no new session is needed. That is known only of keys that it has
// confirmed, and only from an answer to a question asked since: anything else may have been held back.
[[gnu::hot]] void DroneEnd::handle_return(Instant now)
{
  if (!lost_since_ || !peer_.keys().confirmed() || peer_.link().last_answered() < *lost_since_) {
    return;
  }
  lost_since_.reset();
  next_attempt_.reset();
  end_attempt(now);
  reconnect_.reset();
  failed_.reset();
  failures_.reset();
  peer_.report(EventKind::peer_back, now, "the ground station answers again");
  for (Fetch & fetch : fetches_) {
    if (fetch) {
      fetch->note_others(now);
    }
  }
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

// Returns when an attempt that has been answered counts as failed. A ground station at work says so.
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
