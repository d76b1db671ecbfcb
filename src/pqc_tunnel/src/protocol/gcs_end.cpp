// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "gcs_end.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "suite_objection.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr std::uint32_t hellos_until_unheard = 8;
// Without a hello: what was wrong with the last ones says nothing any more.
constexpr Duration hello_memory = std::chrono::minutes(1);
// The drone tries a rekey, and then a new session, before its keys count as overdue.
constexpr Duration overdue_patience = std::chrono::minutes(2);

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
  gate_(
    settings.paths, random,
    [this](PeerIndex i, const Endpoint & from) { return is_live_host(i, from); }),
  pool_(settings.prekey_pool),
  next_transaction_(draw<std::uint32_t>(random))
{
  random.fill(std::span(boot_.bytes).first(8));
  drones_.reserve(drones.size());
  for (DroneRecord & record : drones) {
    Drone & added = drones_.emplace_back();
    added.record = std::move(record);
    added.psk = std::make_shared<const PskKeySet>(PskKeySet::derive(added.record.psk));
    added.record.psk = Psk();  // every key has been derived from it
    gate_.add({added.record.id, added.psk});
  }
  want_likely_suites();
}

KeyId GcsEnd::next_key_id()
{
  KeyId id = boot_;
  std::uint64_t counter = ++key_counter_;
  const auto low = std::span(id.bytes).last<8>();
  for (auto byte = low.rbegin(); byte != low.rend(); ++byte, counter >>= 8) {
    *byte = static_cast<std::uint8_t>(counter);
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

// --- Input ---

void GcsEnd::handle_received(PeerIndex index, Peer::Received & received, Instant now)
{
  if (received.channel == Channel::boot) {
    handle_boot(index, received, now);
    return;
  }
  drone(index).unanswered_hellos = 0;
  if (received.proved) {
    handle_promoted(index, now);
  }
  auto & lost_since = drone(index).lost_since;
  if (lost_since && peer(index).last_answered() >= *lost_since) {
    lost_since.reset();
    peer(index).report(EventKind::peer_back, now, "the drone answers again");
  }
  if (
    received.former && received.control &&
    std::holds_alternative<Superseded>(received.control->body))
  {
    // A drone says under the keys of a former session that it still uses it: the live one is another's.
    peer(index).handle_clone(now);
    peer(index).send_control({0, Superseded{}}, now);
  } else if (received.control) {
    handle_control(index, *received.control, received.order, now);
  } else if (received.message && key_message_type(*received.message) == KeyMessageType::rekey) {
    handle_rekey_message(index, std::move(*received.message), received.order, now);
  }
}

void GcsEnd::handle_job_result(JobId id, JobResult result, Instant now)
{
  if (pool_job_ == id) {
    pool_job_.reset();
    if (auto * made = std::get_if<PrekeyPair>(&result)) {
      pool_.finish(std::move(*made), now);
    } else {
      pool_.fail(now);
    }
    fill_pool(now);
    return;
  }
  for (std::size_t i = 0; i < drones_.size(); ++i) {
    for (const Channel channel : {Channel::session, Channel::boot}) {
      if (drones_[i].lane(channel).job == id) {
        const PeerIndex index{static_cast<std::uint32_t>(i)};
        handle_drone_job(index, channel, id, std::move(result), now);
        return;
      }
    }
  }
}

// A frame under new keys: from now on the ground station sends under them, too.
void GcsEnd::handle_promoted(PeerIndex index, Instant now)
{
  Drone & owner = drone(index);
  Peer & remote = peer(index);
  const EpochKeys & keys = *remote.keys().sending();
  const bool new_session = keys.id() != owner.session;
  const bool is_rekey = !new_session || owner.epoch == last_epoch;
  remote.start_listening(now);
  if (new_session) {
    begin_live_session(index, keys, now);
  }
  owner.epoch = keys.epoch();
  owner.unconfirmed_since.reset();
  owner.next_silence_report.reset();
  owner.failed.reset();
  owner.failures.reset();
  remote.send_control({0, Keepalive{}}, now);  // confirms them to the drone at once
  want_likely_suites();
  if (is_rekey) {
    ++owner.rekeys;
    owner.ratchets += keys.ratchets() > 0 ? 1 : 0;
    remote.report(
      EventKind::rekey_confirmed, now, "sending under new keys", &keys.suite(), keys.epoch());
  }
  const auto & pending = owner.pending_rekey;
  if (
    pending && pending->suite == &keys.suite() &&
    (new_session || keys.epoch() != pending->epoch_before))
  {
    answer(index, true, "rekeyed to " + std::string(keys.suite().id), now);
  }
}

void GcsEnd::begin_live_session(PeerIndex index, const EpochKeys & keys, Instant now)
{
  Drone & owner = drone(index);
  owner.session = keys.id();
  owner.session_transcript = keys.transcript();
  owner.prekeys.clear();
  owner.longest_rekey = 0;
  owner.answered_want.reset();
  owner.want_tokens.fill();
  owner.session_lane.abandon();
  gate_.note_session(index);
  // A newer attempt goes on: the drone may have its keys already.
  if (owner.attempt && owner.attempt->made == keys.id()) {
    end_attempt(index, now);
  }
  peer(index).reset_session_streams();
  expect_rekeys(index);
}

void GcsEnd::wipe(PeerIndex index, const std::string & reason, bool tell, Instant now)
{
  Drone & owner = drone(index);
  if (peer(index).keys().empty() && !owner.attempt) {
    return;
  }
  if (tell) {
    peer(index).send_wiped(now);
  }
  owner.session_lane.abandon();
  owner.prekeys.clear();
  end_attempt(index, now);
  owner.session = {};
  owner.session_transcript = {};
  owner.lost_since.reset();
  if (owner.pending_rekey) {
    answer(index, false, "the session was wiped", now);
  }
  peer(index).wipe();
  peer(index).report(EventKind::keys_wiped, now, "all session keys are wiped: " + reason);
}

// --- Stock of prekeys ---

void GcsEnd::fill_pool(Instant now)
{
  if (const Suite * suite = pool_.next_to_make(now)) {
    pool_job_ = outbox_.start(MakePrekey{
      suite, settings_.mode, identity_.id, next_key_id(),
      identity_.signing_keys.at(suite->signature)});
    pool_.begin(*suite);
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
  const auto & configured = settings_.prekey_pool.suites;
  active.insert(active.end(), configured.begin(), configured.end());
  std::erase_if(active, [this](const Suite * suite) {
    return !suite_objection(*suite, settings_, identity_).empty();
  });
  pool_.want(active);
}

// --- Time ---

void GcsEnd::handle_timeout(Instant now)
{
  pool_.handle_timeout(now);
  fill_pool(now);
  for (std::size_t i = 0; i < drones_.size(); ++i) {
    watch_drone(PeerIndex{static_cast<std::uint32_t>(i)}, now);
  }
}

void GcsEnd::watch_drone(PeerIndex index, Instant now)
{
  Drone & owner = drone(index);
  Peer & remote = peer(index);
  if (now >= remote.wipe_at()) {
    wipe(index, "the drone has long answered nothing", false, now);
  }
  watch_attempt(index, now);
  drop_expired_prekeys(owner, now);
  send_answers(index, now);
  const bool has_keys = remote.keys().sending() != nullptr;
  if (!owner.lost_since && has_keys && now >= remote.lost_from()) {
    owner.lost_since = now;
    remote.report(EventKind::peer_lost, now, likely_cause(facts(index, now)));
  }
  report_missing_datagrams(index, now);
  if (!owner.pending_rekey) {
    return;
  }
  PendingRekey & pending = *owner.pending_rekey;
  if (now >= pending.deadline) {
    answer(index, false, "the drone did not rekey in time; the old keys stay", now);
  } else if (now >= pending.next_try) {
    pending.next_try = now + pending.retry.next(random_);
    remote.send_control(
      {pending.transaction, RekeyRequest{pending.suite->wire_id, pending.command.ratchet}}, now);
  }
}

Instant GcsEnd::next_timeout() const
{
  Instant next = pool_.next_timeout();
  for (std::size_t i = 0; i < drones_.size(); ++i) {
    next = std::min(next, next_timeout(i));
  }
  return next;
}

// The patience with a drone's attempt counts from its newest progress; a job at work needs none.
Instant GcsEnd::end_of_patience(std::size_t i) const
{
  const Attempt & attempt = *drones_[i].attempt;
  return std::max(attempt.progress, peers_[i].stream_progress(Channel::boot)) + attempt.patience;
}

Instant GcsEnd::next_timeout(std::size_t i) const
{
  const Drone & owner = drones_[i];
  Instant next = peers_[i].wipe_at();
  if (peers_[i].keys().sending() != nullptr && !owner.lost_since) {
    next = std::min(next, peers_[i].lost_from());
  }
  if (owner.attempt) {
    next = std::min(next, owner.attempt->next_later);
    if (!owner.boot_lane.working() && peers_[i].has_boot()) {
      next = std::min(next, end_of_patience(i));
    }
  }
  for (const HeldPrekey & held : owner.prekeys) {
    next = std::min(next, held.expires);
  }
  for (const KeySlots::Pending & pending : peers_[i].keys().pending()) {
    next = std::min(next, pending.answer.next);
  }
  if (owner.next_silence_report) {
    next = std::min(next, *owner.next_silence_report);
  }
  if (owner.pending_rekey) {
    next = std::min({next, owner.pending_rekey->next_try, owner.pending_rekey->deadline});
  }
  return next;
}

// --- What is known ---

PeerFacts GcsEnd::facts(PeerIndex index, Instant now) const
{
  const Drone & owner = drone(index);
  const Peer & remote = peers_[static_cast<std::size_t>(index)];
  PeerFacts facts;
  facts.role = Role::gcs;
  facts.settings = &settings_;
  facts.has_keys = remote.keys().sending() != nullptr;
  facts.lost = owner.lost_since.has_value();
  facts.unconfirmed = owner.unconfirmed_since && remote.last_heard() < *owner.unconfirmed_since &&
                      now >= *owner.unconfirmed_since + datagram_patience + owner.round_trip;
  facts.arrives = remote.arrives(now);
  facts.cloned = remote.is_cloned(now);
  facts.deaf_peer = remote.is_deaf(now);
  facts.stretched = remote.is_stretched(now);
  facts.other_version = version_now(owner.other_version, now);
  facts.machine_trouble = remote.machine_trouble();
  facts.link_troubles = remote.paths().troubles();
  const EpochKeys * keys = remote.keys().sending();
  facts.overdue = keys != nullptr && settings_.max_key_age > Duration{} &&
                  now >= keys->exchanged() + settings_.max_key_age + overdue_patience;
  facts.crowded = owner.crowded && now < *owner.crowded + hello_memory;
  if (now < owner.heard_of + hello_memory) {
    facts.wrong_key = owner.wrong_key;
    facts.unheard_here = owner.unanswered_hellos >= hellos_until_unheard;
  }
  if (now < owner.failed_at + hello_memory) {
    facts.failed = owner.failed;
  }
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
  snapshot.pool.bytes_under_way += bytes_to_drones();
  snapshot.handshakes = owner.handshakes;
  snapshot.rekeys = owner.rekeys;
  snapshot.ratchets = owner.ratchets;
  snapshot.rollbacks = owner.rollbacks;
  snapshot.prekeys = owner.prekeys.size();
  if (remote.keys().sending() != nullptr) {
    // A new session is made beside the live one: that it is under way says nothing about this one.
    const bool rekeying =
      owner.session_lane.exchange ||
      std::ranges::any_of(remote.keys().pending(), [](const KeySlots::Pending & pending) {
        return pending.keys && pending.keys->epoch() != Epoch{} &&
               pending.answer.next != Instant::max();
      });
    snapshot.state = owner.lost_since ? PeerState::lost
                     : rekeying       ? PeerState::rekeying
                                      : PeerState::established;
  } else {
    snapshot.state = owner.attempt ? PeerState::handshaking : PeerState::disconnected;
  }
}

}  // namespace pqc_tunnel
