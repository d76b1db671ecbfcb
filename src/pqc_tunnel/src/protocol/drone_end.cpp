// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "drone_end.hpp"

#include <algorithm>
#include <utility>

#include "suite_objection.hpp"

namespace pqc_tunnel
{

DroneEnd::DroneEnd(
  const TunnelSettings & settings, DroneIdentity identity, const Endpoint & gcs_handshake,
  RandomSource & random, Outbox & outbox, Peer & peer, Instant now)
: settings_(settings),
  identity_(std::move(identity)),
  psk_(std::make_shared<const PskKeys>(PskKeys::derive(identity_.psk))),
  policy_hash_(settings.suites.hash(settings.mode)),
  gcs_handshake_(gcs_handshake),
  random_(random),
  outbox_(outbox),
  peer_(peer),
  suite_(settings.initial_suite),
  next_attempt_(now),
  reconnect_(reconnect_first, reconnect_max),
  rekey_(random),
  next_own_rekey_(Instant::max()),
  next_transaction_(draw<std::uint32_t>(random)),
  blacklist_(settings.blacklist_ttl)
{
  identity_.psk = Psk();  // every key has been derived from it
}

// --- In-band messages ---

void DroneEnd::handle_received(const Peer::Received & received, Instant now)
{
  if (!received.authenticated) {
    return;
  }
  if (lost_ && peer_.keys().confirmed()) {
    // The peer was only silent: its keys are still valid, so no new session is needed. That is known only of keys that
    // it has confirmed: packets under older keys don't cancel the new session.
    lost_ = false;
    next_attempt_.reset();
    if (attempt_ && !rekey_.active()) {
      close_attempt();
    }
    reconnect_.reset();
    failed_.reset();
    failures_.reset();
    peer_.report(EventKind::peer_back, now, "datagrams of the ground station arrive again");
  }
  if (received.proved) {
    handle_confirmed(now);
  }
  if (received.control) {
    handle_control(*received.control, now);
  }
}

void DroneEnd::handle_confirmed(Instant now)
{
  const EpochKeys & keys = *peer_.keys().sending();
  suite_ = &keys.suite();
  reconnect_.reset();
  unconfirmed_since_.reset();
  failures_.reset();
  next_own_rekey_ = key_age_limit();
  act(rekey_.handle_confirmed(), now);
}

void DroneEnd::handle_control(const ControlFrame & frame, Instant now)
{
  if (std::holds_alternative<Ready>(frame.body)) {
    act(rekey_.handle_ready(frame.transaction, now), now);
  } else if (const auto * busy = std::get_if<Busy>(&frame.body)) {
    const auto estimate = std::chrono::milliseconds(busy->estimate_ms);
    act(rekey_.handle_busy(frame.transaction, estimate, now), now);
  } else if (const auto * abort = std::get_if<Abort>(&frame.body)) {
    act(rekey_.handle_abort(frame.transaction, abort->reason), now);
  } else if (const auto * request = std::get_if<RekeyRequest>(&frame.body)) {
    handle_rekey_request(frame.transaction, *request, now);
  } else if (!std::holds_alternative<CommitAck>(frame.body)) {
    ++peer_.traffic().control_ignored;
  }
}

void DroneEnd::handle_rekey_request(
  std::uint32_t transaction, const RekeyRequest & request, Instant now)
{
  if (gcs_request_ && gcs_request_->transaction == transaction) {
    if (gcs_request_->failed) {
      peer_.send_control({transaction, Abort{AbortReason::failed}}, now);
    }
    return;
  }
  const Suite * suite = registry().find(request.suite);
  const std::string problem =
    suite == nullptr ? "no such suite is known here" : objection(*suite, now);
  if (!problem.empty()) {
    const bool later = rekey_.active() || !peer_.keys().confirmed();
    if (!later && std::exchange(refused_request_, transaction) != transaction) {
      // Without the suite: the policy takes events that name one for outcomes of its own rekeys.
      peer_.report(
        EventKind::refused, now, "rekey requested by the ground station refused: " + problem);
    }
    const auto reason = later ? AbortReason::in_progress : AbortReason::suite_refused;
    peer_.send_control({transaction, Abort{reason}}, now);
    return;
  }
  gcs_request_ = GcsRequest{transaction, true, false};
  start_rekey(*suite, "requested by the ground station", now);
}

// --- Rekeys ---

std::string DroneEnd::objection(const Suite & suite, Instant now) const
{
  if (peer_.keys().sending() == nullptr || lost_) {
    return "there is no session to rekey yet";
  }
  if (peer_.keys().sending()->used_up()) {
    return "the keys are used up; a new session is on its way";
  }
  if (rekey_.active()) {
    return "a rekey to " + std::string(rekey_.suite()->id) + " is under way";
  }
  if (!peer_.keys().confirmed()) {
    return "the ground station has not confirmed the current keys yet";
  }
  if (std::string problem = suite_objection(suite, settings_, identity_); !problem.empty()) {
    return problem;
  }
  if (blacklist_.holds(suite, now)) {
    return std::string(suite.id) + " failed lately and is blacklisted";
  }
  return {};
}

std::vector<const Suite *> DroneEnd::usable_suites() const
{
  std::vector<const Suite *> usable = settings_.suites.allowed();
  std::erase_if(usable, [this](const Suite * suite) {
    return !suite_objection(*suite, settings_, identity_).empty();
  });
  return usable;
}

void DroneEnd::request_rekey(const RekeyCommand & command, Instant now)
{
  const EpochKeys * keys = peer_.keys().sending();
  const auto suite = command.suite_id.empty() ? keys != nullptr ? &keys->suite() : suite_
                                              : find_suite(command.suite_id, usable_suites());
  const std::string problem = suite ? objection(**suite, now) : suite.error().message;
  if (!problem.empty()) {
    peer_.refuse_rekey(command, problem, suite.value_or(nullptr), timing_, now);
    return;
  }
  asked_here_ = command.id;
  start_rekey(**suite, command.reason, now);
}

void DroneEnd::start_rekey(const Suite & suite, const std::string & reason, Instant now)
{
  rekeying_new_session_ = peer_.keys().sending()->epoch() == last_epoch;
  peer_.report(
    EventKind::rekey_started, now, reason.empty() ? "rekey started" : "rekey started: " + reason,
    &suite);
  act(rekey_.start(suite, next_transaction_++, now), now);
}

void DroneEnd::act(RekeyStep step, Instant now)
{
  const EpochKeys * keys = peer_.keys().sending();
  switch (step) {
    case RekeyStep::none:
      return;
    case RekeyStep::send_prepare: {
      const Epoch epoch = rekeying_new_session_ ? Epoch{} : next(keys->epoch());
      peer_.send_control({rekey_.transaction(), Prepare{epoch, rekey_.suite()->wire_id}}, now);
      return;
    }
    case RekeyStep::start_handshake:
      peer_.report(
        EventKind::rekey_prepared, now, "the ground station is ready for the rekey",
        rekey_.suite());
      connect(*rekey_.suite(), rekeying_new_session_, now);
      return;
    case RekeyStep::send_commit:
      peer_.send_control(
        {rekey_.transaction(), Commit{keys->id(), keys->epoch(), keys->transcript_tag()}}, now);
      return;
    case RekeyStep::succeed:
      ++rekeys_;
      peer_.report(
        EventKind::rekey_confirmed, now, rekey_.message(), &keys->suite(), keys->epoch());
      answer(true, rekey_.message(), now);
      return;
    case RekeyStep::give_up:
      peer_.report(EventKind::rekey_failed, now, rekey_.message(), rekey_.suite());
      answer(false, rekey_.message(), now);
      return;
    case RekeyStep::roll_back:
      blacklist_.add(*rekey_.suite(), now);
      ++rollbacks_;
      peer_.report(EventKind::rollback, now, rekey_.message(), rekey_.suite());
      answer(false, rekey_.message(), now);
      return;
  }
}

// The rekey has ended: answers the ground station or the local command that asked for it.
void DroneEnd::answer(bool success, const std::string & message, Instant now)
{
  if (gcs_request_ && std::exchange(gcs_request_->under_way, false) && !success) {
    gcs_request_->failed = true;
    peer_.send_control({gcs_request_->transaction, Abort{AbortReason::failed}}, now);
  }
  if (const auto id = std::exchange(asked_here_, std::nullopt)) {
    peer_.reply(*id, success, message, timing_);
  }
}

// --- Time ---

Instant DroneEnd::key_age_limit() const
{
  return settings_.max_key_age > Duration{}
           ? peer_.keys().sending()->installed() + settings_.max_key_age
           : Instant::max();
}

bool DroneEnd::may_rekey_by_itself() const
{
  const EpochKeys * keys = peer_.keys().sending();
  return keys != nullptr && !keys->used_up() && !rekey_.active() && !lost_ &&
         peer_.keys().confirmed();
}

bool DroneEnd::limits_ask_for_rekey(Instant now) const
{
  // Beyond the packet limit, not more often than once a minute if rekeying keeps failing.
  const EpochKeys * keys = peer_.keys().sending();
  return may_rekey_by_itself() &&
         (now >= next_own_rekey_ || (keys->packets() >= settings_.packet_limits.ask_rekey &&
                                     now + std::chrono::minutes(1) < next_own_rekey_));
}

void DroneEnd::handle_loss(Instant now)
{
  lost_ = true;
  if (peer_.keys().confirmed()) {
    peer_.report(EventKind::peer_lost, now, likely_cause(facts(now)));
  } else {
    const auto entry = failures_.note(likely_cause(facts(now)), false, now);
    peer_.report(EventKind::peer_lost, now, entry.text, nullptr, {}, entry.severity);
  }
  act(rekey_.handle_session_lost(), now);
  close_attempt();
  // No packet ever confirmed these keys: TCP passes and datagrams don't. Handshakes without a pause would not help.
  next_attempt_ = peer_.keys().confirmed() ? now : now + reconnect_.next(random_);
}

// A rekey needs packets under these keys; a new session does not.
void DroneEnd::replace_used_up_keys(Instant now)
{
  const EpochKeys * keys = peer_.keys().sending();
  if (keys == nullptr || !keys->used_up() || lost_ || attempt_ || next_attempt_) {
    return;
  }
  peer_.report(EventKind::key_limit, now, "the keys are used up", &keys->suite());
  act(rekey_.handle_session_lost(), now);
  next_attempt_ = now;
}

void DroneEnd::handle_timeout(Instant now)
{
  if (attempt_ && now >= attempt_->deadline) {
    handle_failed(
      {HandshakeFailure::timeout, "the ground station did not answer in time"}, now,
      ConnectionEnd::Kind::no_answer);
  }
  act(rekey_.handle_timeout(now), now);
  const bool has_keys = peer_.keys().sending() != nullptr;
  if (has_keys && !lost_ && now >= peer_.last_heard() + settings_.peer_timeout) {
    handle_loss(now);
  }
  replace_used_up_keys(now);
  if (next_attempt_ && now >= *next_attempt_ && !attempt_) {
    connect(*suite_, true, now);
  }
  if (limits_ask_for_rekey(now)) {
    next_own_rekey_ = now + std::chrono::minutes(1);  // if this one fails
    const Suite & suite = peer_.keys().sending()->suite();
    peer_.report(EventKind::key_limit, now, "the keys are due for renewal", &suite);
    if (objection(suite, now).empty()) {
      start_rekey(suite, "age or packet limit", now);
    }
  }
}

Instant DroneEnd::next_timeout() const
{
  Instant next = rekey_.next_timeout();
  if (may_rekey_by_itself()) {
    next = std::min(next, next_own_rekey_);
  }
  if (attempt_) {
    next = std::min(next, attempt_->deadline);
  } else if (next_attempt_) {
    next = std::min(next, *next_attempt_);
  }
  if (peer_.keys().sending() != nullptr && !lost_) {
    next = std::min(next, peer_.last_heard() + settings_.peer_timeout);
  }
  return next;
}

PeerFacts DroneEnd::facts(Instant now) const
{
  PeerFacts facts;
  facts.settings = &settings_;
  facts.has_keys = peer_.keys().sending() != nullptr;
  facts.lost = lost_;
  facts.unconfirmed = unconfirmed_since_ && now >= *unconfirmed_since_ + datagram_patience;
  facts.deaf_peer = peer_.is_deaf(now);
  facts.failed = failed_;
  return facts;
}

void DroneEnd::describe(PeerSnapshot & snapshot, Instant now) const
{
  peer_.describe(snapshot, now);
  snapshot.likely_cause = likely_cause(facts(now));
  snapshot.timing = timing_;
  snapshot.handshakes = handshakes_;
  snapshot.rekeys = rekeys_;
  snapshot.rollbacks = rollbacks_;
  const bool has_keys = peer_.keys().sending() != nullptr;
  if (has_keys && !lost_) {
    snapshot.state = rekey_.active()            ? PeerState::rekeying
                     : peer_.keys().confirmed() ? PeerState::established
                                                : PeerState::handshaking;
  } else if (attempt_) {
    snapshot.state = attempt_->connected ? PeerState::handshaking : PeerState::connecting;
  } else {
    snapshot.state = has_keys ? PeerState::lost : PeerState::disconnected;
  }
}

}  // namespace pqc_tunnel
