// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "served_session.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace pqc_tunnel
{
namespace
{

constexpr Duration later_interval = std::chrono::seconds(2);

AbortReason reason_of(JobError error)
{
  return error == JobError::authenticated ? AbortReason::failed
                                          : abort_reason(error, AbortReason::suite_refused);
}

}  // namespace

// --- Hellos ---

// With another challenge the hello comes from another address, where the drone may be instead: it knows the boot keys of
// each challenge that it has answered.
bool ServedSession::repeat(ByteView frame, const Endpoint & from, Instant now)
{
  if (
    !attempt_ ||
    parse_client_hello(attempt_->hello).client_random != parse_client_hello(frame).client_random)
  {
    return false;
  }
  if (std::ranges::equal(attempt_->hello, frame)) {
    peer_.redirect_boot(from);
  } else {
    peer_.copy_boot_to(from);
  }
  if (!attempt_->prekey) {
    attempt_->next_later = now;
  }
  return true;
}

bool ServedSession::gives_way(HelloGate::Standing newer, const Endpoint & from, Instant now) const
{
  return !attempt_ || newer >= attempt_->standing || same_host(attempt_->from, from) ||
         now >= progress() + answer_patience;
}

void ServedSession::admit(
  const HelloGate::Admitted & admitted, ByteView frame, const Endpoint & from, Instant now)
{
  const ClientHello & hello = admitted.hello;
  const Suite * suite = registry().find(hello.suite);
  const std::string problem = suite == nullptr ? "the drone requests a suite that is unknown here"
                                               : drone_.objection(*suite, admitted.psk);
  if (!problem.empty()) {
    reject(RejectReason::suite_refused, admitted, frame, from, problem, now);
    return;
  }
  if (
    attempt_ && attempt_->prekey &&
    !peer_.is_sending_message(Channel::boot, StreamLane::foreground))
  {
    // The drone has the prekey and begins anew instead of answering.
    drone_.reports.report_failed(
      EventKind::handshake_failed, {HandshakeFailure::timeout, ""}, attempt_->suite, now);
  }
  // One attempt at a time per drone: the newest one that proved the PSK and its address.
  end_attempt(now);
  attempt_.emplace(Attempt{});
  attempt_->suite = suite;
  attempt_->psk = admitted.psk;
  attempt_->hello.assign(frame.begin(), frame.end());
  attempt_->from = from;
  attempt_->standing = admitted.standing;
  attempt_->started = attempt_->progress = now;
  attempt_->patience = progress_patience + admitted.challenge_age;
  drone_.reports.note_heard();
  peer_.report(
    EventKind::handshake_started, now, "handshake started by the drone", suite, Epoch{},
    drone_.reports.severity_of_try());
  peer_.start_boot(
    *suite,
    boot_secrets(
      admitted.psk->of(suite->wire_id), suite->aead, hello.client_random, hello.challenge),
    from, now);
  peer_.expect_message(
    Channel::boot, StreamLane::foreground,
    1 + (is_anchored(hello) ? longest_anchor() : 0) +
      finish_size(*suite, drone_.settings.mode).max);
  attempt_->next_later = now;
  attempt_->former = find_former(hello.former);
  attempt_->chained = {hello.former, attempt_->former.copy()};
  KeyLane::Issue issue{suite, 0, bind_to_hello(frame), attempt_->former.secret.size() > 0};
  issue.signs_former = drone_.find(admitted.psk)->signs_former;
  lane_.begin(issue, now);
  handle_timeout(now);
}

Resumption ServedSession::find_former(const FormerId & id) const
{
  const auto matches = [&id](const EpochKeys * keys) {
    return keys != nullptr && !id.is_zero() && keys->former_id() == id;
  };
  const auto & pending = peer_.keys().pending();
  for (const EpochKeys * keys : std::array<const EpochKeys *, 3>{
         peer_.keys().sending(), pending[0].keys.get(), pending[1].keys.get()})
  {
    if (matches(keys)) {
      return keys->resume();
    }
  }
  const auto former = std::ranges::find(formers_, id, &Former::id);
  return id.is_zero() || former == formers_.end() ? Resumption() : former->resumption.copy();
}

void ServedSession::reject(
  RejectReason reason, const HelloGate::Admitted & admitted, ByteView frame, const Endpoint & to,
  const std::string & text, Instant now)
{
  const ClientHello & hello = admitted.hello;
  const PskKeys & psk = admitted.psk->of(hello.suite);
  Bytes message = encode_reject(reason);
  append_mac(message, psk, psk.retry, frame);
  drone_.outbox.push(SendDatagram{peer_.index(), to, std::move(message), TrafficClass::unproved});
  drone_.reports.report_failed(
    EventKind::refused, {HandshakeFailure::suite_refused, text}, registry().find(hello.suite), now);
}

// --- Under the boot keys ---

void ServedSession::handle_received(const Peer::Received & received, Instant now)
{
  if (!attempt_) {
    return;
  }
  attempt_->progress = now;
  if (const auto sent = std::exchange(attempt_->prekey_sent, std::nullopt)) {
    drone_.reports.note_round_trip(now - *sent);
  }
  if (received.control) {
    ++peer_.traffic().control_ignored;
    return;
  }
  if (!received.message) {
    return;
  }
  const ByteView message = *received.message;
  if (!attempt_->prekey || key_message_type(message) != KeyMessageType::finish) {
    return;  // or its Finish has come already: a prekey is used once
  }
  attempt_->next_later = now + later_interval;
  KeyLane::Exchange exchange;
  exchange.suite = attempt_->suite;
  exchange.opening = attempt_->hello;
  exchange.client_random = parse_client_hello(attempt_->hello).client_random;
  exchange.started = attempt_->started;
  exchange.issued = attempt_->timing;
  exchange.psk = attempt_->psk;
  CompleteFinish job =
    drone_.job_of(exchange, *std::exchange(attempt_->prekey, std::nullopt), message.subspan(1));
  job.anchored = is_anchored(parse_client_hello(attempt_->hello));
  job.anchor = drone_.anchor_secrets();
  job.former = std::move(attempt_->former);
  lane_.begin(std::move(exchange), std::move(job), now);
}

void ServedSession::handle_proved(const SessionId & session, Instant now)
{
  if (attempt_ && attempt_->made == session) {
    end_attempt(now);
  }
}

void ServedSession::end_attempt(Instant now)
{
  attempt_.reset();
  lane_.abandon();
  for (auto & [keys, answer] : peer_.keys().pending()) {
    if (keys && keys->epoch() == Epoch{}) {
      answer.next = Instant::max();
    }
  }
  peer_.end_boot(now);
}

void ServedSession::handle_attempt_failed(const FailedHandshake & failed, Instant now)
{
  const Suite * suite = attempt_->suite;
  end_attempt(now);
  drone_.reports.report_failed(EventKind::handshake_failed, failed, suite, now);
}

// --- Jobs ---

bool ServedSession::handle_job_result(JobId id, JobResult & result, Instant now)
{
  const auto ended = lane_.end_job(id);
  if (!ended) {
    return false;
  }
  if (const auto * failed = std::get_if<JobFailed>(&result)) {
    if (ended->issue || ended->exchange) {
      handle_job_failed(*failed, now);
    }
  } else if (ended->issue) {
    handle_issued(std::move(std::get<IssuedPrekey>(result)), *ended->issue->suite, now);
  } else if (ended->exchange) {
    handle_completed(*ended->exchange, std::move(std::get<FinishCompleted>(result)), now);
  }
  lane_.start_waiting(now);
  return true;
}

void ServedSession::handle_issued(IssuedPrekey issued, const Suite & suite, Instant now)
{
  drone_.supply.note_issued(suite, issued.timing);
  if (attempt_) {
    attempt_->timing = issued.timing;
    attempt_->prekey = std::move(issued.secret);
    attempt_->progress = now;
    attempt_->prekey_sent = now;
    attempt_->next_later = Instant::max();
    peer_.send_message(Channel::boot, StreamLane::foreground, std::move(issued.message), now);
  }
}

void ServedSession::handle_completed(
  const KeyLane::Exchange & exchange, FinishCompleted completed, Instant now)
{
  const SessionId session = completed.secrets.session;
  const SecretBytes & rms = completed.secrets.resumption;
  formers_[0] = {
    former_id(hash_of(exchange.suite->wire_id), rms),
    {SecretBytes::copy_of(rms.view()), completed.secrets.layers}};
  if (attempt_) {
    formers_[1] = std::move(attempt_->chained);
  }
  drone_.anchor = completed.anchor;
  drone_.install(exchange, session, std::move(completed), Channel::boot, now);
  if (attempt_) {
    attempt_->progress = now;
    attempt_->made = session;
  }
  drone_.reports.note_session_made(now);
  peer_.link().use_round_trip(drone_.reports.round_trip());
  peer_.link().note_alive(now);
}

void ServedSession::handle_job_failed(const JobFailed & failed, Instant now)
{
  if (!attempt_) {
    return;
  }
  if (failed.error != JobError::unauthenticated) {
    peer_.send_control(
      {transaction_of(parse_client_hello(attempt_->hello).client_random),
       Abort{reason_of(failed.error)}},
      now, Channel::boot);
  }
  // The sentence is that of the job, whether the drone proved the PSK or not.
  handle_attempt_failed({HandshakeFailure::unauthenticated, failed.text}, now);
}

// --- Time ---

Instant ServedSession::progress() const
{
  return std::max(attempt_->progress, peer_.stream_progress(Channel::boot));
}

// A job at work needs no patience.
void ServedSession::handle_timeout(Instant now)
{
  if (!attempt_) {
    return;
  }
  const bool working = lane_.working();
  if (now >= attempt_->next_later) {
    attempt_->next_later = working ? now + later_interval : Instant::max();
    peer_.send_control(
      {transaction_of(parse_client_hello(attempt_->hello).client_random),
       drone_.supply.later(*attempt_->suite)},
      now, Channel::boot);
  }
  if (working || now < progress() + attempt_->patience) {
    return;
  }
  if (attempt_->made) {
    end_attempt(now);  // ServedReports says why
  } else {
    handle_attempt_failed({HandshakeFailure::timeout, ""}, now);
  }
}

Instant ServedSession::next_timeout() const
{
  if (!attempt_) {
    return Instant::max();
  }
  const bool waiting = !lane_.working() && peer_.has_boot();
  return std::min(attempt_->next_later, waiting ? progress() + attempt_->patience : Instant::max());
}

}  // namespace pqc_tunnel
