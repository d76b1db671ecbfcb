// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// The ground station's half of key exchanges: the Finish that uses a prekey, ratchets, requests of rekeys.

#include <algorithm>
#include <utility>

#include "gcs_end.hpp"
#include "ratchet.hpp"
#include "suite_objection.hpp"

namespace pqc_tunnel
{
namespace
{

std::string with_reason(const std::string & text, const RekeyCommand & command)
{
  return command.reason.empty() ? text : text + " (reason: " + command.reason + ")";
}

}  // namespace

// --- The exchange ---

void GcsEnd::handle_rekey_message(
  PeerIndex index, Bytes message, const FrameOrder & order, Instant now)
{
  Drone & owner = drone(index);
  Peer & remote = peer(index);
  const auto opening = parse_rekey_opening(message);
  if (!opening) {
    return;
  }
  const std::uint32_t transaction = transaction_of(opening->client_random);
  if (KeySlots::Pending * done = remote.keys().find_pending(opening->client_random)) {
    done->answer.next = now;
    return;
  }
  const auto & under_way = owner.session_lane.exchange;
  if (under_way && under_way->client_random == opening->client_random) {
    return;
  }
  if (order < owner.newest_exchange) {
    return;  // given up for another exchange, which was overtaken on the way
  }
  const EpochKeys & live = *remote.keys().sending();
  const Suite * suite = registry().find(opening->suite);
  const std::string problem =
    suite == nullptr ? "no such suite is known here" : objection(*suite, owner);
  if (!problem.empty()) {
    remote.report(
      EventKind::refused, now, "rekey of the drone refused: " + problem, suite,
      opening->next_epoch);
    remote.send_control({transaction, Abort{AbortReason::suite_refused}}, now);
    return;
  }
  drop_expired_prekeys(owner, now);
  const auto prekey = std::ranges::find(
    owner.prekeys, opening->key_id, [](const HeldPrekey & held) { return held.secret.key_id; });
  if (
    prekey == owner.prekeys.end() || PrekeyKind(*prekey->secret.suite) != PrekeyKind(*suite) ||
    opening->mode != settings_.mode.to_wire())
  {
    remote.send_control({transaction, Abort{AbortReason::unknown_prekey}}, now);
    return;
  }
  if (
    opening->session != live.id() || live.epoch() == last_epoch ||
    opening->next_epoch != next(live.epoch()))
  {
    remote.send_control({transaction, Abort{AbortReason::in_progress}}, now);
    return;
  }
  PrekeySecret secret = std::move(prekey->secret);
  owner.prekeys.erase(prekey);
  owner.newest_exchange = order;
  const bool requested = owner.pending_rekey && owner.pending_rekey->suite == suite;
  remote.report(
    EventKind::rekey_started, now,
    requested ? with_reason("the drone starts the requested rekey", owner.pending_rekey->command)
              : "the drone starts a rekey",
    suite, opening->next_epoch);
  Exchange exchange;
  exchange.suite = suite;
  exchange.opening.assign(message.begin(), message.begin() + rekey_opening_size);
  exchange.client_random = opening->client_random;
  exchange.epoch = opening->next_epoch;
  exchange.session = opening->session;
  exchange.started = now;
  begin_exchange(
    index, Channel::session, std::move(exchange), std::move(secret),
    ByteView(message).subspan(rekey_opening_size), now);
}

void GcsEnd::begin_exchange(
  PeerIndex index, Channel channel, Exchange exchange, PrekeySecret prekey, ByteView finish,
  Instant now)
{
  Drone & owner = drone(index);
  CompleteFinish job;
  job.suite = exchange.suite;
  job.mode = settings_.mode;
  job.psk = owner.psk;
  if (channel == Channel::session) {
    job.resumption = SecretBytes::copy_of(peer(index).keys().sending()->resumption().view());
  }
  if (settings_.mode.drone_signature) {
    job.drone_public_key = owner.record.drone_keys.at(exchange.suite->signature);
  }
  job.opening = exchange.opening;
  job.prekey = std::move(prekey);
  job.finish.assign(finish.begin(), finish.end());
  exchange.waiting = std::move(job);
  owner.lane(channel).exchange = std::move(exchange);
  start_waiting_job(index, channel, now);
}

void GcsEnd::handle_completed(
  PeerIndex index, Channel channel, FinishCompleted completed, Instant now)
{
  Drone & owner = drone(index);
  Peer & remote = peer(index);
  const Exchange exchange = *std::exchange(owner.lane(channel).exchange, std::nullopt);
  const bool new_session = channel == Channel::boot;
  owner.timing = completed.timing;
  owner.timing.keygen = exchange.issued.keygen;
  owner.timing.sign = exchange.issued.sign;
  owner.timing.prepared_ahead = exchange.issued.prepared_ahead;
  owner.timing.total = now - exchange.started;
  const SessionId session = new_session ? completed.secrets.session : exchange.session;
  // Installed for receiving before the drone learns that it may send.
  remote.keys().install_pending(
    std::make_unique<EpochKeys>(
      EpochName{exchange.suite, session, exchange.epoch}, Role::gcs, std::move(completed.secrets),
      settings_, now, remote.clock(channel)),
    {{transaction_of(exchange.client_random), Confirm{completed.confirmation}},
     exchange.client_random,
     Backoff(remote.retry_time(now), exchange_retry_max, exchange_steady_tries),
     now});
  send_answers(index, now);
  ++owner.handshakes;
  remote.report(
    EventKind::handshake_completed, now, "handshake completed", exchange.suite, exchange.epoch,
    owner.unconfirmed_since ? severity_of_try(index) : std::nullopt);
  if (new_session) {
    owner.failed.reset();
    owner.wrong_key = false;
    owner.other_version.reset();
    if (owner.attempt) {
      owner.attempt->progress = now;
      owner.attempt->made = session;
    }
    owner.unconfirmed_since = owner.unconfirmed_since.value_or(now);
    owner.next_silence_report = now + datagram_patience + owner.round_trip;
    remote.use_round_trip(owner.round_trip);
    remote.note_alive(now);
  }
}

// Until the drone proves its new keys: CONFIRM again and again; RATCHET_OK when it asks.
void GcsEnd::send_answers(PeerIndex index, Instant now)
{
  for (auto & [keys, answer] : peer(index).keys().pending()) {
    if (now < answer.next) {
      continue;
    }
    const bool again = answer.retry && answer.retry->tries() < max_confirms;
    answer.next = again ? now + answer.retry->next(random_) : Instant::max();
    peer(index).send_control(
      answer.frame, now, keys->epoch() == Epoch{} ? Channel::boot : Channel::session);
  }
}

void GcsEnd::handle_drone_job(
  PeerIndex index, Channel channel, JobId id, JobResult result, Instant now)
{
  Lane & lane = drone(index).lane(channel);
  lane.job.reset();
  const auto * failed = std::get_if<JobFailed>(&result);
  if (lane.issue && lane.issue->job == id) {
    if (auto * issued = std::get_if<IssuedPrekey>(&result)) {
      handle_issued(index, channel, std::move(*issued), now);
    } else if (failed != nullptr) {
      const Issue lost = *std::exchange(lane.issue, std::nullopt);
      handle_job_failed(index, channel, *lost.suite, Epoch{}, *failed, now);
      if (channel == Channel::session) {
        peer(index).send_control({lost.transaction, Abort{AbortReason::failed}}, now);
      }
    }
  } else if (lane.exchange && lane.exchange->job == id) {
    if (auto * completed = std::get_if<FinishCompleted>(&result)) {
      handle_completed(index, channel, std::move(*completed), now);
    } else if (failed != nullptr) {
      const Exchange lost = *std::exchange(lane.exchange, std::nullopt);
      if (channel == Channel::session && failed->error != JobError::unauthenticated) {
        peer(index).send_control(
          {transaction_of(lost.client_random), Abort{AbortReason::failed}}, now);
      }
      handle_job_failed(index, channel, *lost.suite, lost.epoch, *failed, now);
    }
  }
  start_waiting_job(index, channel, now);
}

void GcsEnd::handle_job_failed(
  PeerIndex index, Channel channel, const Suite & suite, Epoch epoch, const JobFailed & failed,
  Instant now)
{
  const bool authenticated = failed.error == JobError::authenticated;
  if (channel == Channel::session) {
    peer(index).report(
      EventKind::rekey_failed, now, "rekey of the drone failed: " + failed.text, &suite, epoch);
    return;
  }
  if (!drone(index).attempt) {
    return;
  }
  if (failed.error != JobError::unauthenticated) {
    const Random32 random = parse_client_hello(drone(index).attempt->hello).client_random;
    peer(index).send_control(
      {transaction_of(random),
       Abort{authenticated ? AbortReason::failed : AbortReason::suite_refused}},
      now, Channel::boot);
  }
  handle_attempt_failed(
    index,
    {authenticated ? HandshakeFailure::authenticated : HandshakeFailure::unauthenticated,
     failed.text},
    now);
}

// --- Ratchets and requests ---

void GcsEnd::handle_ratchet(
  PeerIndex index, std::uint32_t transaction, const Ratchet & ratchet, const FrameOrder & order,
  Instant now)
{
  Drone & owner = drone(index);
  Peer & remote = peer(index);
  if (KeySlots::Pending * done = remote.keys().find_pending(ratchet.random)) {
    done->answer.next = now;
    send_answers(index, now);
    return;
  }
  const EpochKeys & live = *remote.keys().sending();
  // A late one of an attempt given up would displace the keys of the attempt under way.
  if (
    order < owner.newest_exchange || live.epoch() == last_epoch ||
    ratchet.next_epoch != next(live.epoch()) || !owner.ratchet_tokens.take(now) ||
    !constant_time_equal(ratchet.mac, ratchet_mac(*owner.psk, live, ratchet)))
  {
    ++remote.traffic().control_ignored;
    return;
  }
  RatchetOk ok;
  random_.fill(ok.random);
  ok.mac = ratchet_ok_mac(*owner.psk, live, ratchet, ok.random);
  remote.keys().install_pending(
    std::make_unique<EpochKeys>(
      ratchet_name(live), Role::gcs, ratchet_secrets(*owner.psk, live, ratchet, ok.random),
      settings_, now, live.clock()),
    {{transaction, ok}, ratchet.random, std::nullopt, now});
  owner.newest_exchange = order;
  send_answers(index, now);
}

void GcsEnd::handle_abort(
  PeerIndex index, std::uint32_t transaction, const Abort & abort, Instant now)
{
  Drone & owner = drone(index);
  for (auto & [keys, answer] : peer(index).keys().pending()) {
    if (keys && answer.frame.transaction == transaction) {
      answer.next = Instant::max();  // the drone has given the exchange up
      return;
    }
  }
  if (!owner.pending_rekey || owner.pending_rekey->transaction != transaction) {
    ++peer(index).traffic().control_ignored;
    return;
  }
  switch (abort.reason) {
    case AbortReason::in_progress:
      answer(index, false, "the drone is busy with another rekey", now);
      break;
    case AbortReason::suite_refused:
      answer(
        index, false,
        "the drone can't use " + std::string(owner.pending_rekey->suite->id) + missing_there, now);
      break;
    default:
      answer(index, false, "the drone could not rekey; the old keys stay", now);
  }
}

void GcsEnd::handle_control(
  PeerIndex index, const ControlFrame & frame, const FrameOrder & order, Instant now)
{
  if (const auto * want = std::get_if<Want>(&frame.body)) {
    handle_want(index, frame.transaction, *want, now);
  } else if (const auto * ratchet = std::get_if<Ratchet>(&frame.body)) {
    handle_ratchet(index, frame.transaction, *ratchet, order, now);
  } else if (const auto * abort = std::get_if<Abort>(&frame.body)) {
    handle_abort(index, frame.transaction, *abort, now);
  } else {
    ++peer(index).traffic().control_ignored;
  }
}

void GcsEnd::request_rekey(const RekeyCommand & command, Instant now)
{
  Peer & remote = peer(command.peer);
  Drone & owner = drone(command.peer);
  const EpochKeys * keys = remote.keys().sending();
  const auto suite = command.suite_id.empty() ? keys != nullptr ? &keys->suite() : nullptr
                                              : find_suite(command.suite_id, usable_suites(owner));
  std::string problem;
  if (!suite) {
    problem = suite.error().message;
  } else if (keys == nullptr || owner.lost_since) {
    problem = "there is no session with " + owner.record.name + " to rekey yet";
  } else if (owner.pending_rekey) {
    problem = "a rekey is under way";
  } else if (command.ratchet && *suite != &keys->suite()) {
    problem = "a ratchet keeps the suite; " + std::string((*suite)->id) + " needs a full rekey";
  } else {
    problem = objection(**suite, owner);
  }
  if (keys == nullptr || !problem.empty()) {
    remote.refuse_rekey(command, problem, suite.value_or(nullptr), owner.timing, now);
    return;
  }
  owner.pending_rekey.emplace(PendingRekey{
    command, *suite, next_transaction_++, keys->epoch(),
    Backoff(control_retry_first, control_retry_max), now, now + prepare_deadline});
  handle_timeout(now);
}

void GcsEnd::answer(PeerIndex index, bool success, const std::string & message, Instant now)
{
  Drone & owner = drone(index);
  const auto ended = std::exchange(owner.pending_rekey, std::nullopt);
  if (!success) {
    peer(index).report(
      EventKind::rekey_failed, now,
      with_reason("requested rekey failed: " + message, ended->command), ended->suite);
  }
  peer(index).reply(ended->command.id, success, message, owner.timing);
}

}  // namespace pqc_tunnel
