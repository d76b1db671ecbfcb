// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "pqc_tunnel/core/gcs_end.hpp"

#include <algorithm>
#include <utility>

namespace pqc_tunnel
{
namespace
{

constexpr Duration stranger_report_interval = std::chrono::seconds(1);

template <class Id>
std::uint64_t key(Id id)
{
  return static_cast<std::uint64_t>(id);
}

std::uint64_t random_u64(RandomSource & random)
{
  std::array<std::uint8_t, 8> bytes = {};
  random.fill(bytes);
  std::uint64_t value = 0;
  for (const std::uint8_t byte : bytes) {
    value = value << 8 | byte;
  }
  return value;
}

PskKeys random_psk_keys(RandomSource & random)
{
  Psk psk;
  random.fill(psk.span());
  return PskKeys::derive(psk);
}

}  // namespace

GcsEnd::GcsEnd(
  const TunnelSettings & settings, GcsIdentity identity, std::vector<DroneRecord> drones,
  RandomSource & random, Outbox & outbox, std::vector<Peer> & peers)
: settings_(settings),
  identity_(std::move(identity)),
  policy_hash_(settings.suites.hash(settings.mode)),
  random_(random),
  outbox_(outbox),
  peers_(peers),
  stranger_psk_(random_psk_keys(random)),
  admission_({}, random_u64(random)),
  pool_(settings.hello_pool),
  next_transaction_(static_cast<std::uint32_t>(random_u64(random)))
{
  random.fill(std::span(boot_.bytes).first(8));
  drones_.reserve(drones.size());
  for (DroneRecord & record : drones) {
    Drone & added = drones_.emplace_back();
    added.record = std::move(record);
    added.psk = std::make_shared<const PskKeys>(PskKeys::derive(added.record.psk));
    added.record.psk = Psk();  // all that is needed of it has been derived
  }
  want_likely_suites();
}

KeyId GcsEnd::next_key_id()
{
  KeyId id = boot_;
  const std::uint64_t counter = ++key_counter_;
  for (std::size_t i = 0; i < 8; ++i) {
    id.bytes[8 + i] = static_cast<std::uint8_t>(counter >> (56 - 8 * i));
  }
  return id;
}

// --- Connections ---

bool GcsEnd::handle_accepted(ConnectionId id, const Endpoint & from, Instant now)
{
  if (!admission_.try_admit(from, now)) {
    report_stranger("too many connections", now);
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

void GcsEnd::handle_closed(ConnectionId id, const std::string & reason, Instant now)
{
  const auto found = connections_.find(key(id));
  if (found != connections_.end() && found->second.drone) {
    peer(*found->second.drone)
      .report(
        EventKind::handshake_failed, now, "handshake failed: the drone ended it: " + reason,
        found->second.suite, found->second.epoch);
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

// Strangers come as fast as they like; what is said of them doesn't.
void GcsEnd::report_stranger(const std::string & text, Instant now)
{
  ++strangers_;
  if (now < next_stranger_report_) {
    return;
  }
  next_stranger_report_ = now + stranger_report_interval;
  outbox_.push(Event{
    EventKind::refused, now, std::nullopt, nullptr, Epoch{},
    "handshake refused: " + text + " (" + std::to_string(strangers_) + " so far)"});
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

std::string GcsEnd::general_objection(const Suite & suite) const
{
  const std::string id(suite.id);
  if (!settings_.suites.allows(suite)) {
    return id + " is not allowed by the configuration";
  }
  const auto availability = registry().availability(suite);
  if (!availability.available) {
    return id + " is not available: " + availability.reason;
  }
  if (!identity_.signing_keys.contains(suite.signature)) {
    return "the identity holds no signing key for " + id;
  }
  return {};
}

std::string GcsEnd::objection(const Suite & suite, const Drone & drone) const
{
  if (std::string general = general_objection(suite); !general.empty()) {
    return general;
  }
  if (settings_.mode.drone_signature && !drone.record.drone_keys.contains(suite.signature)) {
    return "no public key of " + drone.record.name + " is known for " + std::string(suite.id);
  }
  return {};
}

void GcsEnd::handle_hello(ConnectionId id, const ClientHello & hello, Instant now)
{
  Connection & connection = connections_.at(key(id));
  const auto index = find_drone(hello.drone_id);
  const PskKeys & psk = index ? *drone(*index).psk : stranger_psk_;
  if (!connection.server.hello_proves(psk) || !index) {
    report_stranger("the hello does not prove a known drone's key", now);
    close(id);
    return;
  }

  const Session * current = peer(*index).keys().sending();
  auto & seen = drone(*index).seen_randoms;
  const bool names_live_session = current != nullptr && current->id() == hello.previous_session &&
                                  current->epoch() == hello.previous_epoch &&
                                  current->epoch() != last_epoch &&
                                  hello.next_epoch == next(current->epoch());
  const bool may_skip_challenge = names_live_session && !admission_.under_load(now) &&
                                  std::ranges::find(seen, hello.client_random) == seen.end();
  if (!connection.server.hello_is_fresh() && !may_skip_challenge) {
    connection.deadline =
      now + hello_deadline;  // each hello has its second: links with long delays need it
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
    refuse(
      id, *index, RejectReason::policy_mismatch,
      "the drone allows other suites, another floor or another key-exchange mode: both ends must "
      "be configured alike",
      now);
    return;
  }
  const Suite * suite = registry().find(hello.suite);
  const std::string problem =
    suite == nullptr ? "the drone asks for a suite unknown here" : objection(*suite, drone(*index));
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
    refuse(id, *index, RejectReason::busy, "a former handshake of it is still at work", now);
    return;
  }
  admit(id, *index, hello, *suite, now);
}

void GcsEnd::admit(
  ConnectionId id, PeerIndex index, const ClientHello & hello, const Suite & suite, Instant now)
{
  Drone & owner = drone(index);
  // One handshake in flight per drone: the newest that proved itself.
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
    EventKind::handshake_started, now, "handshake started by " + owner.record.name, &suite,
    hello.next_epoch);
  handle_step(id, connection.server.admit(std::move(config), random_), now);
}

void GcsEnd::handle_done(ConnectionId id, ServerDone done, Instant now)
{
  Connection & connection = connections_.at(key(id));
  const PeerIndex index = *connection.drone;
  Drone & owner = drone(index);
  owner.timing = done.timing;
  owner.timing.total = now - connection.started;
  owner.pending_is_rekey = connection.rekeyed_session.has_value();
  const SessionId session = connection.rekeyed_session.value_or(done.secrets.session);
  // Installed for receiving before the drone learns that it may send.
  peer(index).keys().install_pending(std::make_unique<Session>(
    *connection.suite, session, connection.epoch, Role::gcs, std::move(done.secrets),
    settings_.replay_window, now, settings_.packet_limits.refuse));
  outbox_.push(SendStream{id, std::move(done.message)});
  ++owner.handshakes;
  peer(index).report(
    EventKind::handshake_completed, now, "handshake completed with " + owner.record.name,
    connection.suite, connection.epoch);
  close(id);
}

void GcsEnd::handle_failed(ConnectionId id, const HandshakeFailed & failed, Instant now)
{
  Connection & connection = connections_.at(key(id));
  if (!connection.drone) {
    report_stranger(failed.text, now);
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
      peer(index).report(
        EventKind::handshake_failed, now, "handshake failed: " + failed.text, connection.suite,
        connection.epoch);
      close(id);
  }
}

void GcsEnd::refuse(
  ConnectionId id, PeerIndex index, RejectReason reason, const std::string & text, Instant now)
{
  Connection & connection = connections_.at(key(id));
  outbox_.push(SendStream{id, connection.server.refuse(*drone(index).psk, reason)});
  peer(index).report(
    EventKind::refused, now, "handshake refused: " + text, connection.suite, connection.epoch);
  close(id);
}

// --- Rekeys ---

void GcsEnd::handle_received(PeerIndex index, const Peer::Received & received, Instant now)
{
  if (!received.authenticated) {
    return;
  }
  if (std::exchange(drone(index).lost, false)) {
    peer(index).report(EventKind::peer_back, now, drone(index).record.name + " is heard again");
  }
  if (received.proved) {
    handle_promoted(index, now);
  }
  if (received.control) {
    handle_control(index, *received.control, now);
  }
}

void GcsEnd::handle_promoted(PeerIndex index, Instant now)
{
  Drone & owner = drone(index);
  const Session & session = *peer(index).keys().sending();
  peer(index).start_listening(now);
  want_likely_suites();
  if (owner.pending_is_rekey) {
    ++owner.rekeys;
    peer(index).report(
      EventKind::rekey_confirmed, now, "sending under new keys", &session.suite(), session.epoch());
  }
  if (owner.wish && owner.wish->suite == &session.suite()) {
    answer(index, true, "rekeyed to " + std::string(session.suite().id));
  }
}

void GcsEnd::handle_control(PeerIndex index, const ControlFrame & frame, Instant now)
{
  Drone & owner = drone(index);
  if (const auto * prepare = std::get_if<Prepare>(&frame.body)) {
    handle_prepare(index, frame.transaction, *prepare, now);
  } else if (const auto * commit = std::get_if<Commit>(&frame.body)) {
    const Session & session = *peer(index).keys().sending();
    if (
      commit->session == session.id() && commit->epoch == session.epoch() &&
      commit->transcript_tag == session.transcript_tag())
    {
      peer(index).send_control({frame.transaction, CommitAck{}}, now);
    } else {
      ++peer(index).traffic().control_ignored;
    }
  } else if (const auto * abort = std::get_if<Abort>(&frame.body);
             abort != nullptr && owner.wish && owner.wish->transaction == frame.transaction)
  {
    switch (abort->reason) {
      case AbortReason::in_progress:
        answer(index, false, "the drone is busy with another rekey");
        break;
      case AbortReason::suite_refused:
        answer(index, false, "the drone refuses the suite");
        break;
      default:
        answer(index, false, "the drone could not rekey; the old keys stay");
    }
  } else {
    ++peer(index).traffic().control_ignored;
  }
}

void GcsEnd::handle_prepare(
  PeerIndex index, std::uint32_t transaction, const Prepare & prepare, Instant now)
{
  Drone & owner = drone(index);
  const Suite * suite = registry().find(prepare.suite);
  if (suite == nullptr || !objection(*suite, owner).empty()) {
    peer(index).send_control({transaction, Abort{AbortReason::suite_refused}}, now);
    return;
  }
  if (std::exchange(owner.announced, transaction) != transaction) {
    peer(index).report(
      EventKind::rekey_started, now, owner.record.name + " announces a rekey", suite,
      prepare.epoch);
  }
  if (pool_.reserve(index, *suite, now)) {
    peer(index).send_control({transaction, Ready{}}, now);
    return;
  }
  pool_.wait({index, suite, transaction});
  fill_pool(now);
  // Keys that are made in no time need no BUSY: READY follows.
  const auto estimate =
    std::chrono::ceil<std::chrono::milliseconds>(pool_.estimate(index, now)).count();
  if (estimate > 0) {
    peer(index).send_control({transaction, Busy{static_cast<std::uint32_t>(estimate)}}, now);
  }
}

void GcsEnd::handle_prepared(JobResult result, Instant now)
{
  if (const auto * failed = std::get_if<JobFailed>(&result)) {
    for (const auto & waiter : pool_.fail(now)) {
      peer(waiter.drone).report(EventKind::rekey_failed, now, failed->text, waiter.suite);
      peer(waiter.drone).send_control({waiter.transaction, Abort{AbortReason::failed}}, now);
    }
  } else if (const auto waiter = pool_.finish(std::get<EphemeralKeys>(std::move(result)), now)) {
    peer(waiter->drone).send_control({waiter->transaction, Ready{}}, now);
  }
  fill_pool(now);
}

void GcsEnd::fill_pool(Instant now)
{
  if (const Suite * suite = pool_.next_to_make(now)) {
    pool_job_ = outbox_.start(PrepareHello{
      suite, settings_.mode, identity_.id, next_key_id(),
      identity_.signing_keys.at(suite->signature)});
    pool_.begin(*suite, now);
  }
}

// Fresh keys of the suites in use before all, then their neighbours, then what the configuration names.
void GcsEnd::want_likely_suites()
{
  std::vector<const Suite *> active;
  std::vector<const Suite *> others;
  for (const Peer & drone : peers_) {
    if (const Session * session = drone.keys().sending(); session != nullptr) {
      active.push_back(&session->suite());
      const auto next = likely_next(session->suite(), settings_.suites.allowed());
      others.insert(others.end(), next.begin(), next.end());
    }
  }
  active.insert(active.end(), others.begin(), others.end());
  const auto & configured = settings_.hello_pool.suites;
  active.insert(active.end(), configured.begin(), configured.end());
  std::erase_if(active, [this](const Suite * suite) { return !general_objection(*suite).empty(); });
  pool_.want(active);
}

RekeyTicket GcsEnd::request_rekey(PeerIndex index, const Suite * suite, Instant now)
{
  const RekeyTicket ticket{++last_ticket_};
  Drone & owner = drone(index);
  const Session * session = peer(index).keys().sending();
  const Suite * wanted = suite == nullptr && session != nullptr ? &session->suite() : suite;
  std::string problem;
  if (session == nullptr || wanted == nullptr || owner.lost) {
    problem = "there is no session with " + owner.record.name + " to rekey yet";
  } else if (owner.wish) {
    problem = "a rekey is under way";
  } else {
    problem = objection(*wanted, owner);
  }
  if (!problem.empty()) {
    outbox_.push(RekeyOutcome{
      ticket, false, problem, session != nullptr ? &session->suite() : nullptr,
      session != nullptr ? session->epoch() : Epoch{}, owner.timing});
    return ticket;
  }
  owner.wish.emplace(Wish{
    ticket, wanted, next_transaction_++, Backoff(control_retry_first, control_retry_max), now,
    now + prepare_deadline});
  handle_timeout(now);
  return ticket;
}

void GcsEnd::answer(PeerIndex index, bool success, const std::string & message)
{
  Drone & owner = drone(index);
  const Session * session = peer(index).keys().sending();
  outbox_.push(RekeyOutcome{
    owner.wish->ticket, success, message, session != nullptr ? &session->suite() : nullptr,
    session != nullptr ? session->epoch() : Epoch{}, owner.timing});
  owner.wish.reset();
}

// --- Time ---

void GcsEnd::handle_timeout(Instant now)
{
  pool_.handle_timeout(now);
  fill_pool(now);
  std::vector<std::uint64_t> late;
  for (const auto & [id, connection] : connections_) {
    if (now >= connection.deadline) {
      late.push_back(id);
    }
  }
  for (const std::uint64_t id : late) {
    handle_failed(
      ConnectionId{id}, {HandshakeFailure::timeout, "it was not completed in time"}, now);
  }
  for (std::size_t i = 0; i < drones_.size(); ++i) {
    const PeerIndex index{static_cast<std::uint32_t>(i)};
    Drone & owner = drones_[i];
    if (
      !owner.lost && peer(index).keys().sending() != nullptr &&
      now >= peer(index).last_heard() + settings_.peer_timeout)
    {
      owner.lost = true;
      peer(index).report(EventKind::peer_lost, now, "nothing is heard from " + owner.record.name);
    }
    if (!owner.wish) {
      continue;
    }
    if (now >= owner.wish->deadline) {
      answer(index, false, "the drone did not rekey in time; the old keys stay");
    } else if (now >= owner.wish->next_try) {
      owner.wish->next_try = now + owner.wish->retry.next(random_);
      peer(index).send_control(
        {owner.wish->transaction, RekeyRequest{owner.wish->suite->wire_id}}, now);
    }
  }
}

Instant GcsEnd::next_timeout() const
{
  Instant next = pool_.next_timeout();
  for (const auto & [id, connection] : connections_) {
    next = std::min(next, connection.deadline);
  }
  for (std::size_t i = 0; i < drones_.size(); ++i) {
    const Drone & owner = drones_[i];
    if (!owner.lost && peers_[i].keys().sending() != nullptr) {
      next = std::min(next, peers_[i].last_heard() + settings_.peer_timeout);
    }
    if (owner.wish) {
      next = std::min({next, owner.wish->next_try, owner.wish->deadline});
    }
  }
  return next;
}

void GcsEnd::describe(PeerSnapshot & snapshot, PeerIndex index, Instant now) const
{
  const Drone & owner = drone(index);
  const Peer & remote = peers_[static_cast<std::size_t>(index)];
  remote.describe(snapshot, now);
  snapshot.timing = owner.timing;
  snapshot.pool = pool_.status();
  snapshot.handshakes = owner.handshakes;
  snapshot.rekeys = owner.rekeys;
  snapshot.rollbacks = owner.rollbacks;
  const bool has_keys = remote.keys().sending() != nullptr;
  if (has_keys && !owner.lost) {
    snapshot.state =
      pool_.is_waiting(index) || owner.connection ? PeerState::rekeying : PeerState::established;
  } else if (owner.connection) {
    snapshot.state = PeerState::handshaking;
  } else {
    snapshot.state = has_keys ? PeerState::lost : PeerState::disconnected;
  }
}

}  // namespace pqc_tunnel
