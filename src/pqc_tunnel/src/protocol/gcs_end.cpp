// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "gcs_end.hpp"

#include <algorithm>
#include <utility>

#include "suite_objection.hpp"

namespace pqc_tunnel
{
namespace
{

PskKeys random_psk_keys(RandomSource & random)
{
  Psk psk;
  random.fill(psk.span());
  return PskKeys::derive(psk);
}

std::string with_reason(const std::string & text, const RekeyCommand & command)
{
  return command.reason.empty() ? text : text + " (reason: " + command.reason + ")";
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
  admission_({}, draw<std::uint64_t>(random)),
  pool_(settings.hello_pool),
  next_transaction_(draw<std::uint32_t>(random))
{
  random.fill(std::span(boot_.bytes).first(8));
  drones_.reserve(drones.size());
  for (DroneRecord & record : drones) {
    Drone & added = drones_.emplace_back();
    added.record = std::move(record);
    added.psk = std::make_shared<const PskKeys>(PskKeys::derive(added.record.psk));
    added.record.psk = Psk();  // every key has been derived from it
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

std::string GcsEnd::objection(const Suite & suite, const Drone & drone) const
{
  if (std::string problem = suite_objection(suite, settings_, identity_); !problem.empty()) {
    return problem;
  }
  if (settings_.mode.drone_signature && !drone.record.drone_keys.contains(suite.signature)) {
    return "no public key of " + drone.record.name + " is known for " + std::string(suite.id);
  }
  return {};
}

std::vector<const Suite *> GcsEnd::usable_suites(const Drone & drone) const
{
  std::vector<const Suite *> usable = settings_.suites.allowed();
  std::erase_if(usable, [&](const Suite * suite) { return !objection(*suite, drone).empty(); });
  return usable;
}

// --- Rekeys ---

void GcsEnd::handle_received(PeerIndex index, const Peer::Received & received, Instant now)
{
  if (!received.authenticated) {
    return;
  }
  if (std::exchange(drone(index).lost, false)) {
    peer(index).report(EventKind::peer_back, now, "datagrams of the drone arrive again");
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
  const EpochKeys & keys = *peer(index).keys().sending();
  peer(index).start_listening(now);
  owner.unconfirmed_since.reset();
  owner.next_silence_report.reset();
  owner.failed.reset();
  owner.failures.reset();
  want_likely_suites();
  if (owner.pending_is_rekey) {
    ++owner.rekeys;
    peer(index).report(
      EventKind::rekey_confirmed, now, "sending under new keys", &keys.suite(), keys.epoch());
  }
  if (owner.pending_rekey && owner.pending_rekey->suite == &keys.suite()) {
    answer(index, true, "rekeyed to " + std::string(keys.suite().id), now);
  }
}

void GcsEnd::handle_control(PeerIndex index, const ControlFrame & frame, Instant now)
{
  Drone & owner = drone(index);
  if (const auto * prepare = std::get_if<Prepare>(&frame.body)) {
    handle_prepare(index, frame.transaction, *prepare, now);
  } else if (const auto * commit = std::get_if<Commit>(&frame.body)) {
    const EpochKeys & keys = *peer(index).keys().sending();
    if (
      commit->session == keys.id() && commit->epoch == keys.epoch() &&
      commit->transcript_tag == keys.transcript_tag())
    {
      peer(index).send_control({frame.transaction, CommitAck{}}, now);
    } else {
      ++peer(index).traffic().control_ignored;
    }
  } else if (const auto * abort = std::get_if<Abort>(&frame.body);
             abort != nullptr && owner.pending_rekey &&
             owner.pending_rekey->transaction == frame.transaction)
  {
    switch (abort->reason) {
      case AbortReason::in_progress:
        answer(index, false, "the drone is busy with another rekey", now);
        break;
      case AbortReason::suite_refused:
        answer(
          index, false,
          "the drone can't use " + std::string(owner.pending_rekey->suite->id) + missing_there,
          now);
        break;
      default:
        answer(index, false, "the drone could not rekey; the old keys stay", now);
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
  const std::string problem =
    suite == nullptr ? "no such suite is known here" : objection(*suite, owner);
  if (!problem.empty()) {
    if (std::exchange(owner.announced, transaction) != transaction) {
      peer(index).report(
        EventKind::refused, now, "rekey announced by the drone refused: " + problem, suite,
        prepare.epoch);
    }
    peer(index).send_control({transaction, Abort{AbortReason::suite_refused}}, now);
    return;
  }
  owner.announced_new_session = prepare.epoch == Epoch{};
  if (std::exchange(owner.announced, transaction) != transaction) {
    const bool requested = owner.pending_rekey && owner.pending_rekey->suite == suite;
    const std::string text = "the drone announces ";
    peer(index).report(
      EventKind::rekey_started, now,
      requested ? with_reason(text + "the requested rekey", owner.pending_rekey->command)
                : text + "a rekey",
      suite, prepare.epoch);
  }
  if (pool_.reserve(index, *suite, now)) {
    peer(index).send_control({transaction, Ready{}}, now);
    return;
  }
  pool_.wait({index, suite, transaction});
  fill_pool(now);
  // Keys that are made at once need no BUSY: READY follows.
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

// First fresh keys of the suites in use, then their neighbours, then the suites that the configuration names.
void GcsEnd::want_likely_suites()
{
  std::vector<const Suite *> active;
  std::vector<const Suite *> others;
  for (const Peer & drone : peers_) {
    if (const EpochKeys * keys = drone.keys().sending(); keys != nullptr) {
      active.push_back(&keys->suite());
      const auto next = likely_next(keys->suite(), settings_.suites.allowed());
      others.insert(others.end(), next.begin(), next.end());
    }
  }
  active.insert(active.end(), others.begin(), others.end());
  const auto & configured = settings_.hello_pool.suites;
  active.insert(active.end(), configured.begin(), configured.end());
  std::erase_if(active, [this](const Suite * suite) {
    return !suite_objection(*suite, settings_, identity_).empty();
  });
  pool_.want(active);
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
  } else if (keys == nullptr || owner.lost) {
    problem = "there is no session with " + owner.record.name + " to rekey yet";
  } else if (owner.pending_rekey) {
    problem = "a rekey is under way";
  } else {
    problem = objection(**suite, owner);
  }
  if (!problem.empty()) {
    remote.refuse_rekey(command, problem, suite.value_or(nullptr), owner.timing, now);
    return;
  }
  owner.pending_rekey.emplace(PendingRekey{
    command, *suite, next_transaction_++, Backoff(control_retry_first, control_retry_max), now,
    now + prepare_deadline});
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
      ConnectionId{id}, {HandshakeFailure::timeout, "it sent no whole hello in time"}, now);
  }
  for (std::size_t i = 0; i < drones_.size(); ++i) {
    const PeerIndex index{static_cast<std::uint32_t>(i)};
    Drone & owner = drones_[i];
    if (
      !owner.lost && peer(index).keys().sending() != nullptr &&
      now >= peer(index).last_heard() + settings_.peer_timeout)
    {
      owner.lost = true;
      peer(index).report(EventKind::peer_lost, now, likely_cause(facts(index, now)));
    }
    report_missing_datagrams(index, now);
    if (!owner.pending_rekey) {
      continue;
    }
    if (now >= owner.pending_rekey->deadline) {
      answer(index, false, "the drone did not rekey in time; the old keys stay", now);
    } else if (now >= owner.pending_rekey->next_try) {
      owner.pending_rekey->next_try = now + owner.pending_rekey->retry.next(random_);
      peer(index).send_control(
        {owner.pending_rekey->transaction, RekeyRequest{owner.pending_rekey->suite->wire_id}}, now);
    }
  }
}

void GcsEnd::report_missing_datagrams(PeerIndex index, Instant now)
{
  Drone & owner = drone(index);
  if (!owner.next_silence_report || now < *owner.next_silence_report) {
    return;
  }
  owner.next_silence_report.reset();
  if (peer(index).last_heard() < *owner.unconfirmed_since) {
    const auto entry = owner.failures.note(likely_cause(facts(index, now)), false, now);
    peer(index).report(
      EventKind::handshake_failed, now, entry.text, nullptr, Epoch{}, entry.severity);
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
    if (owner.next_silence_report) {
      next = std::min(next, *owner.next_silence_report);
    }
    if (owner.pending_rekey) {
      next = std::min({next, owner.pending_rekey->next_try, owner.pending_rekey->deadline});
    }
  }
  return next;
}

PeerFacts GcsEnd::facts(PeerIndex index, Instant now) const
{
  const Drone & owner = drone(index);
  const Peer & remote = peers_[static_cast<std::size_t>(index)];
  PeerFacts facts;
  facts.role = Role::gcs;
  facts.settings = &settings_;
  facts.has_keys = remote.keys().sending() != nullptr;
  facts.lost = owner.lost;
  facts.unconfirmed = owner.unconfirmed_since && remote.last_heard() < *owner.unconfirmed_since &&
                      now >= *owner.unconfirmed_since + datagram_patience;
  facts.deaf_peer = remote.is_deaf(now);
  facts.wrong_key = owner.wrong_key;
  facts.failed = owner.failed;
  return facts;
}

void GcsEnd::describe(PeerSnapshot & snapshot, PeerIndex index, Instant now) const
{
  const Drone & owner = drone(index);
  const Peer & remote = peers_[static_cast<std::size_t>(index)];
  remote.describe(snapshot, now);
  snapshot.likely_cause = likely_cause(facts(index, now));
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
