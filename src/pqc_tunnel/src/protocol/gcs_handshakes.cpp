// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// The ground station's half of handshakes: which connections are accepted, and for which steps.

#include <algorithm>
#include <utility>

#include "gcs_end.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr Duration stranger_report_interval = std::chrono::seconds(1);
constexpr Duration stranger_quiet_time = std::chrono::minutes(20);

template <class Id>
std::uint64_t key(Id id)
{
  return static_cast<std::uint64_t>(id);
}

}  // namespace

// --- Connections ---

bool GcsEnd::handle_accepted(ConnectionId id, const Endpoint & from, Instant now)
{
  if (!admission_.try_admit(from, now)) {
    report_stranger(strangers_.over_limit, "too many connections", now);
    return false;
  }
  Connection & connection = connections_[key(id)];
  connection.from = from;
  connection.started = now;
  connection.deadline = now + hello_deadline;
  return true;
}

void GcsEnd::handle_stream(ConnectionId id, ByteView bytes, Instant now)
{
  const auto found = connections_.find(key(id));
  if (found != connections_.end()) {
    handle_step(id, found->second.server.handle_stream(bytes), now);
  }
}

void GcsEnd::handle_closed(ConnectionId id, const ConnectionEnd & end, Instant now)
{
  const auto found = connections_.find(key(id));
  if (found == connections_.end()) {
    return;
  }
  const Connection & connection = found->second;
  if (connection.drone) {
    report_failed(
      *connection.drone, EventKind::handshake_failed,
      {HandshakeFailure::closed, end.kind, true, true, end.text}, connection, now);
  } else {
    report_stranger(strangers_.no_proof, "it left without a whole hello", now);
  }
  forget(id);
}

void GcsEnd::forget(ConnectionId id)
{
  const auto found = connections_.find(key(id));
  if (found == connections_.end()) {
    return;
  }
  release(found->second);
  if (found->second.drone) {
    drone(*found->second.drone).connection.reset();
    pool_.handle_handshake_ended(*found->second.drone);
  }
  connections_.erase(found);
}

void GcsEnd::close(ConnectionId id)
{
  outbox_.push(CloseConnection{id});
  forget(id);
}

void GcsEnd::release(Connection & connection)
{
  if (std::exchange(connection.admitted, false)) {
    admission_.release(connection.from);
  }
}

// Strangers connect at any rate; the reports about them are limited.
void GcsEnd::report_stranger(std::uint64_t & counter, const std::string & text, Instant now)
{
  ++counter;
  if (now < next_stranger_report_) {
    return;
  }
  next_stranger_report_ = now + stranger_report_interval;
  if (now >= last_stranger_ + stranger_quiet_time) {
    stranger_reports_.reset();
  }
  last_stranger_ = now;
  const EventSeverity severity = stranger_reports_.note("", false, now).severity;
  outbox_.push(Event{
    EventKind::refused, now, std::nullopt, nullptr, Epoch{},
    "stranger turned away at the handshake port: " + text + " (" + std::to_string(counter) +
      " so far)",
    severity});
}

// The same failure of one drone is logged at a decreasing rate.
void GcsEnd::report_failed(
  PeerIndex index, EventKind kind, const FailedHandshake & failed, const Connection & connection,
  Instant now)
{
  Drone & owner = drone(index);
  const bool in_use = peer(index).keys().sending() != nullptr && !owner.lost;
  PeerFacts known = facts(index, now);
  known.has_keys = false;  // the cause of this failure, even if there are older keys
  known.failed = failed;
  if (!in_use) {
    owner.failed = failed;
  }
  const auto entry = owner.failures.note(likely_cause(known), false, now);
  const char * what = kind == EventKind::refused ? "handshake refused: " : "handshake failed: ";
  peer(index).report(
    kind, now, what + entry.text, connection.suite, connection.epoch, entry.severity);
}

std::optional<EventSeverity> GcsEnd::severity_of_try(PeerIndex index) const
{
  return drone(index).failures.failing() ? std::optional(EventSeverity::debug) : std::nullopt;
}

void GcsEnd::handle_job_result(JobId id, JobResult result, Instant now)
{
  if (pool_job_ == id) {
    pool_job_.reset();
    handle_prepared(std::move(result), now);
    return;
  }
  const auto job = handshake_jobs_.find(key(id));
  if (job == handshake_jobs_.end()) {
    return;
  }
  const ConnectionId connection = job->second.connection;
  drone(job->second.drone).job_at_work = false;
  handshake_jobs_.erase(job);
  const auto found = connections_.find(key(connection));
  if (found != connections_.end()) {
    handle_step(connection, found->second.server.handle_job_result(std::move(result)), now);
  }
}

void GcsEnd::handle_step(ConnectionId id, ServerStep step, Instant now)
{
  if (auto * bytes = std::get_if<Bytes>(&step)) {
    outbox_.push(SendStream{id, std::move(*bytes)});
  } else if (auto * job = std::get_if<Job>(&step)) {
    const PeerIndex owner = *connections_.at(key(id)).drone;
    drone(owner).job_at_work = true;
    handshake_jobs_.emplace(key(outbox_.start(std::move(*job))), HandshakeJob{id, owner});
  } else if (auto * hello = std::get_if<HelloReceived>(&step)) {
    handle_hello(id, hello->hello, now);
  } else if (auto * done = std::get_if<ServerDone>(&step)) {
    handle_done(id, std::move(*done), now);
  } else if (auto * failed = std::get_if<HandshakeFailed>(&step)) {
    handle_failed(id, *failed, now);
  }
}

// --- Handshakes ---

std::optional<PeerIndex> GcsEnd::find_drone(const DroneId & id) const
{
  const auto found = std::ranges::find_if(
    drones_, [&id](const Drone & candidate) { return candidate.record.id == id; });
  if (found == drones_.end()) {
    return std::nullopt;
  }
  return PeerIndex{static_cast<std::uint32_t>(found - drones_.begin())};
}

void GcsEnd::handle_hello(ConnectionId id, const ClientHello & hello, Instant now)
{
  Connection & connection = connections_.at(key(id));
  const auto index = find_drone(hello.drone_id);
  const PskKeys & psk = index ? *drone(*index).psk : stranger_psk_;
  if (!connection.server.hello_proves(psk) || !index) {
    if (index) {
      drone(*index).wrong_key = true;
      report_stranger(
        strangers_.wrong_key,
        "the hello has the id of " + drone(*index).record.name + ", but a different key", now);
    } else {
      report_stranger(
        strangers_.unknown_drone, "the hello has the id of no known drone (is its identity new?)",
        now);
    }
    close(id);
    return;
  }

  const EpochKeys * current = peer(*index).keys().sending();
  auto & seen = drone(*index).seen_randoms;
  const bool names_live_session = current != nullptr && current->id() == hello.previous_session &&
                                  current->epoch() == hello.previous_epoch &&
                                  current->epoch() != last_epoch &&
                                  hello.next_epoch == next(current->epoch());
  const bool may_skip_challenge = names_live_session && !admission_.under_load(now) &&
                                  std::ranges::find(seen, hello.client_random) == seen.end();
  if (!connection.server.hello_is_fresh() && !may_skip_challenge) {
    connection.deadline =
      now + hello_deadline;  // a second for each hello: links with long delays need it
    handle_step(id, connection.server.challenge(psk, random_), now);
    return;
  }
  if (names_live_session) {
    seen.push_back(hello.client_random);
    if (seen.size() > remembered_client_randoms) {
      seen.pop_front();
    }
  }

  if (hello.policy_hash != policy_hash_ || hello.mode != settings_.mode.to_wire()) {
    const HandshakeMode mode = HandshakeMode::from_wire(hello.mode);
    refuse(
      id, *index, RejectReason::policy_mismatch,
      "the drone must be configured alike: " +
        difference(
          SuitePolicy::with_hash(hello.policy_hash, mode), mode, settings_.suites, settings_.mode),
      now);
    return;
  }
  const Suite * suite = registry().find(hello.suite);
  const std::string problem = suite == nullptr ? "the drone requests a suite that is unknown here"
                                               : objection(*suite, drone(*index));
  if (!problem.empty()) {
    refuse(id, *index, RejectReason::suite_refused, problem, now);
    return;
  }
  const bool new_session = hello.previous_session.is_zero() && hello.next_epoch == Epoch{};
  if (!names_live_session && !new_session) {
    refuse(
      id, *index, RejectReason::session_unknown, "the session to rekey is not known here", now);
    return;
  }
  if (drone(*index).job_at_work) {
    refuse(id, *index, RejectReason::busy, "its previous handshake is still being computed", now);
    return;
  }
  admit(id, *index, hello, *suite, now);
}

void GcsEnd::admit(
  ConnectionId id, PeerIndex index, const ClientHello & hello, const Suite & suite, Instant now)
{
  Drone & owner = drone(index);
  // One handshake at a time per drone: the newest one that carried the PSK's MAC.
  if (owner.connection && *owner.connection != id) {
    close(*owner.connection);
  }
  owner.connection = id;

  Connection & connection = connections_.at(key(id));
  release(connection);
  connection.drone = index;
  connection.suite = &suite;
  connection.epoch = hello.next_epoch;
  connection.deadline =
    now + (is_slow(suite.kem) ? settings_.slow_handshake_timeout : settings_.handshake_timeout);
  HandshakeServer::Config config;
  config.suite = &suite;
  config.mode = settings_.mode;
  config.gcs_id = identity_.id;
  config.signing_key = identity_.signing_keys.at(suite.signature);
  if (settings_.mode.drone_signature) {
    config.drone_public_key = owner.record.drone_keys.at(suite.signature);
  }
  config.psk = owner.psk;
  config.key_id = next_key_id();
  if (!hello.previous_session.is_zero()) {
    connection.rekeyed_session = hello.previous_session;
    config.resumption =
      std::make_shared<const Key32>(peer(index).keys().sending()->resumption().view());
  }
  config.prepared = pool_.take(index, suite, now);
  peer(index).report(
    EventKind::handshake_started, now, "handshake started by the drone", &suite, hello.next_epoch,
    severity_of_try(index));
  handle_step(id, connection.server.admit(std::move(config), random_), now);
}

void GcsEnd::handle_done(ConnectionId id, ServerDone done, Instant now)
{
  Connection & connection = connections_.at(key(id));
  const PeerIndex index = *connection.drone;
  Drone & owner = drone(index);
  owner.timing = done.timing;
  owner.timing.total = now - connection.started;
  const bool renews_session = std::exchange(owner.announced_new_session, false);
  owner.pending_is_rekey = connection.rekeyed_session.has_value() || renews_session;
  const SessionId session = connection.rekeyed_session.value_or(done.secrets.session);
  // Installed for receiving before the drone learns that it may send.
  peer(index).keys().install_pending(std::make_unique<EpochKeys>(
    *connection.suite, session, connection.epoch, Role::gcs, std::move(done.secrets),
    settings_.replay_window, now, settings_.packet_limits.refuse));
  outbox_.push(SendStream{id, std::move(done.message)});
  ++owner.handshakes;
  peer(index).report(
    EventKind::handshake_completed, now, "handshake completed", connection.suite, connection.epoch,
    owner.unconfirmed_since ? severity_of_try(index) : std::nullopt);
  owner.failed.reset();
  owner.wrong_key = false;
  if (!connection.rekeyed_session) {
    owner.unconfirmed_since = owner.unconfirmed_since.value_or(now);
    owner.next_silence_report = now + datagram_patience;
  }
  close(id);
}

void GcsEnd::handle_failed(ConnectionId id, const HandshakeFailed & failed, Instant now)
{
  Connection & connection = connections_.at(key(id));
  if (!connection.drone) {
    report_stranger(strangers_.no_proof, failed.text, now);
    close(id);
    return;
  }
  const PeerIndex index = *connection.drone;
  switch (failed.failure) {
    case HandshakeFailure::authenticated:
      refuse(id, index, RejectReason::failed, failed.text, now);
      return;
    case HandshakeFailure::unavailable:
      refuse(id, index, RejectReason::suite_refused, failed.text, now);
      return;
    default:
      report_failed(
        index, EventKind::handshake_failed,
        {failed.failure, ConnectionEnd::Kind::closed, true, true, failed.text}, connection, now);
      close(id);
  }
}

void GcsEnd::refuse(
  ConnectionId id, PeerIndex index, RejectReason reason, const std::string & text, Instant now)
{
  Connection & connection = connections_.at(key(id));
  outbox_.push(SendStream{id, connection.server.refuse(*drone(index).psk, reason)});
  report_failed(
    index, EventKind::refused,
    {HandshakeFailure::suite_refused, ConnectionEnd::Kind::closed, true, true, text}, connection,
    now);
  close(id);
}

}  // namespace pqc_tunnel
