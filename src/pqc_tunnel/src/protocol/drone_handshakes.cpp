// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// The drone's half of handshakes: the attempts, their outcome, and which failures blacklist a suite.

#include <algorithm>
#include <utility>

#include "drone_end.hpp"

namespace pqc_tunnel
{
namespace
{

SharedKey32 copy_of(const Key32 & key) { return std::make_shared<const Key32>(key.view()); }

}  // namespace

// --- Handshakes ---

void DroneEnd::connect(const Suite & suite, bool new_session, Instant now)
{
  close_attempt();
  HandshakeClient::Config config;
  config.suite = &suite;
  config.mode = settings_.mode;
  config.drone_id = identity_.id;
  config.psk = psk_;
  config.gcs_id = identity_.gcs_id;
  config.gcs_public_key = identity_.gcs_keys.at(suite.signature);
  if (settings_.mode.drone_signature) {
    config.drone_signing_key = identity_.signing_keys.at(suite.signature);
  }
  config.policy_hash = policy_hash_;
  std::optional<SessionId> rekeyed;
  if (!new_session) {
    const EpochKeys & keys = *peer_.keys().sending();
    rekeyed = keys.id();
    config.previous_session = keys.id();
    config.previous_epoch = keys.epoch();
    config.next_epoch = next(keys.epoch());
    config.resumption = copy_of(keys.resumption());
  }
  const Epoch epoch = config.next_epoch;
  const ConnectionId connection{++last_connection_};
  const Duration timeout =
    is_slow(suite.kem) ? settings_.slow_handshake_timeout : settings_.handshake_timeout;
  attempt_.emplace(Attempt{
    connection, HandshakeClient(std::move(config), random_), rekeyed, epoch, now, now + timeout,
    false, std::nullopt});
  next_attempt_.reset();
  peer_.report(
    EventKind::handshake_started, now, "handshake started", &suite, epoch, severity_of_try());
  outbox_.push(OpenConnection{connection, gcs_handshake_});
}

void DroneEnd::handle_connected(ConnectionId connection, Instant now)
{
  if (attempt_ && attempt_->connection == connection && !attempt_->connected) {
    attempt_->connected = true;
    attempt_->started = now;
    handle_step(attempt_->client.start(), now);
  }
}

void DroneEnd::handle_stream(ConnectionId connection, ByteView bytes, Instant now)
{
  if (attempt_ && attempt_->connection == connection) {
    handle_step(attempt_->client.handle_stream(bytes), now);
  }
}

void DroneEnd::handle_closed(ConnectionId connection, const ConnectionEnd & end, Instant now)
{
  if (!attempt_ || attempt_->connection != connection) {
    return;
  }
  if (!attempt_->connected) {
    handle_failed({HandshakeFailure::closed, end.text}, now, end.kind);
    return;
  }
  handle_step(attempt_->client.handle_closed(end.text), now);
}

void DroneEnd::handle_job_result(JobId id, JobResult result, Instant now)
{
  if (!attempt_ || attempt_->job != id) {
    return;
  }
  attempt_->job.reset();
  const auto * answered = std::get_if<ServerHelloAnswered>(&result);
  if (answered != nullptr && !is_new_key(answered->key_id)) {
    handle_failed(
      {HandshakeFailure::authenticated, "the ground station used an ephemeral key twice"}, now);
    return;
  }
  handle_step(attempt_->client.handle_job_result(std::move(result)), now);
}

// Stored as soon as a genuine ServerHello offers it, even if the handshake fails later.
bool DroneEnd::is_new_key(const KeyId & id)
{
  if (std::ranges::find(seen_keys_, id) != seen_keys_.end()) {
    return false;
  }
  seen_keys_.push_back(id);
  if (seen_keys_.size() > remembered_key_ids) {
    seen_keys_.pop_front();
  }
  return true;
}

void DroneEnd::handle_step(ClientStep step, Instant now)
{
  if (auto * bytes = std::get_if<Bytes>(&step)) {
    outbox_.push(SendStream{attempt_->connection, std::move(*bytes)});
  } else if (auto * job = std::get_if<Job>(&step)) {
    attempt_->job = outbox_.start(std::move(*job));
  } else if (auto * done = std::get_if<HandshakeDone>(&step)) {
    handle_done(std::move(*done), now);
  } else if (auto * failed = std::get_if<HandshakeFailed>(&step)) {
    handle_failed(*failed, now);
  }
}

void DroneEnd::handle_done(HandshakeDone done, Instant now)
{
  const Suite & suite = attempt_->client.suite();
  const SessionId session = attempt_->rekeyed_session.value_or(done.secrets.session);
  const Epoch epoch = attempt_->epoch;
  const bool is_rekey = rekey_.phase() == Rekey::Phase::handshaking;
  timing_ = done.timing;
  timing_.total = now - attempt_->started;
  timing_.prepare = is_rekey ? rekey_.preparation() : Duration{};
  ++handshakes_;
  close_attempt();
  lost_ = false;
  failed_.reset();
  // Repeated until a datagram arrives, if none ever does.
  const auto severity = unconfirmed_since_ ? severity_of_try() : std::nullopt;
  if (!is_rekey && !unconfirmed_since_) {
    unconfirmed_since_ = now;
  }
  if (!is_rekey) {
    peer_.return_home();
  }
  peer_.keys().install_for_sending(std::make_unique<EpochKeys>(
    suite, session, epoch, Role::drone, std::move(done.secrets), settings_.replay_window, now,
    settings_.packet_limits.refuse));
  peer_.start_listening(now);
  peer_.report(EventKind::handshake_completed, now, "handshake completed", &suite, epoch, severity);
  if (is_rekey) {
    peer_.report(EventKind::rekey_committed, now, "sending under new keys", &suite, epoch);
    act(rekey_.handle_installed(now), now);
  } else {
    // Any packet proves the new keys to the ground station; this one comes at once.
    act(RekeyStep::send_commit, now);
  }
}

std::optional<EventSeverity> DroneEnd::severity_of_try() const
{
  return failures_.failing() ? std::optional(EventSeverity::debug) : std::nullopt;
}

void DroneEnd::handle_failed(const HandshakeFailed & failed, Instant now, ConnectionEnd::Kind end)
{
  const Suite & suite = attempt_->client.suite();
  const Epoch epoch = attempt_->epoch;
  const FailedHandshake handshake{
    failed.failure, end, attempt_->connected, attempt_->client.got_answer(), failed.text};
  close_attempt();
  PeerFacts known = facts(now);
  known.has_keys = false;  // the cause of this failure, even if there are older keys
  known.failed = handshake;
  const std::string cause = likely_cause(known);
  if (rekey_.phase() == Rekey::Phase::handshaking) {
    peer_.report(EventKind::handshake_failed, now, "handshake failed: " + cause, &suite, epoch);
    act(rekey_.handle_handshake_failed(failed.failure, cause, now), now);
    if (failed.failure == HandshakeFailure::session_unknown) {
      failed_ = handshake;
      handle_loss(now);
    }
    return;
  }
  failed_ = handshake;
  const auto entry = failures_.note(cause, !handshake.connected, now);
  const std::string text = entry.severity == EventSeverity::info
                             ? "waiting for the ground station at " + settings_.ground.name
                             : "handshake failed: " + entry.text;
  peer_.report(EventKind::handshake_failed, now, text, &suite, epoch, entry.severity);
  lose_suite(failed, now);
  next_attempt_ = now + reconnect_.next(random_);
}

// A suite that fails under the PSK at a new session is replaced by the configured one; time-outs never replace a suite.
void DroneEnd::lose_suite(const HandshakeFailed & failed, Instant now)
{
  const bool suite_failed = failed.failure == HandshakeFailure::authenticated ||
                            failed.failure == HandshakeFailure::suite_refused ||
                            failed.failure == HandshakeFailure::unavailable;
  if (suite_failed && suite_ != settings_.initial_suite) {
    blacklist_.add(*suite_, now);
    ++rollbacks_;
    peer_.report(EventKind::rollback, now, "back to the configured suite: " + failed.text, suite_);
    suite_ = settings_.initial_suite;
  }
}

void DroneEnd::close_attempt()
{
  if (attempt_) {
    outbox_.push(CloseConnection{attempt_->connection});
    attempt_.reset();
  }
}

}  // namespace pqc_tunnel
