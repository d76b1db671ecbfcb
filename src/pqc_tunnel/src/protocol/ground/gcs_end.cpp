// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "gcs_end.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace pqc_tunnel
{
namespace
{

constexpr Duration stranger_report_interval = std::chrono::seconds(1);
constexpr Duration stranger_quiet_time = std::chrono::minutes(20);
constexpr std::uint64_t unproven_a_second = 20;  // of a drone, to several addresses
constexpr Duration recordings_report_interval = std::chrono::minutes(1);

// Why a session with or without an anchor can't begin here; null if it can.
const char * anchor_objection(AnchorUse use, bool anchored)
{
  if (anchored && use == AnchorUse::off) {
    return "the drone uses the anchor, and anchor is off here: set it alike at both ends";
  }
  if (!anchored && use == AnchorUse::required) {
    return "anchor is required here, and the drone does not use it: its identity has no key of the "
           "anchor, or anchor is off there";
  }
  return nullptr;
}

}  // namespace

GcsEnd::GcsEnd(
  const TunnelSettings & settings, GcsIdentity identity, RandomSource & random, Outbox & outbox)
: settings_(settings),
  policy_hash_(settings.suites.hash(settings.mode)),
  random_(random),
  outbox_(outbox),
  gate_(
    settings.paths, random,
    [this](PeerIndex index, const Endpoint & from) {
      return same_host(drone(index).peer().paths().remote(from.link), from);
    }),
  next_transaction_(draw<std::uint32_t>(random)),
  supply_(settings, std::move(identity), random, outbox)
{
  want_likely_suites();
}

// --- Drones ---

void GcsEnd::add(Peer & peer, DroneRecord record)
{
  drones_.emplace_back(settings_, std::move(record), supply_, random_, outbox_, peer);
  accounts_.emplace_back();
  open_gate(peer.index());
  gate_.set_found_rate(std::nullopt);  // it was that of one drone alone
}

void GcsEnd::open_gate(PeerIndex index)
{
  gate_.set(index, {drone(index).id(), drone(index).accepted()});
}

void GcsEnd::replace(PeerIndex index, DroneRecord record, Instant now)
{
  drone(index).replace(std::move(record), now);
  open_gate(index);
}

void GcsEnd::expire(PeerIndex index, KeyAge keys, Instant now)
{
  drone(index).expire(keys, now);
  open_gate(index);
}

void GcsEnd::replace_identity(GcsIdentity identity)
{
  supply_.replace(std::move(identity));
  suites_changed_ = true;
  want_likely_suites();
}

void GcsEnd::remove(PeerIndex index, Instant now)
{
  gate_.forget(index);
  drone(index).wipe("the ground station serves the drone no longer", true, now);
}

// --- Hellos ---

std::optional<PeerIndex> GcsEnd::handle_hello(ByteView frame, const Endpoint & from, Instant now)
{
  if (drones_.size() == 1) {
    gate_.set_found_rate(drones_[0].peer().found_rate());
  }
  const HelloGate::Verdict verdict = gate_.handle(frame, from, now);
  if (
    !std::holds_alternative<HelloGate::TurnedAway>(verdict) &&
    !std::holds_alternative<HelloGate::Admitted>(verdict))
  {
    note_unproven_hello(from.link, now);
  }
  if (const auto * stranger = std::get_if<HelloGate::TurnedAway>(&verdict)) {
    turn_away(*stranger, now);
    return stranger->drone;
  }
  if (const auto * challenged = std::get_if<HelloGate::Challenged>(&verdict)) {
    drone(challenged->drone).reports().note_challenge(now);
    outbox_.push(SendDatagram{challenged->drone, from, challenged->retry, TrafficClass::unproved});
    return challenged->drone;
  }
  if (const auto * repeated = std::get_if<HelloGate::Repeated>(&verdict)) {
    if (!drone(repeated->drone).new_session().repeat(frame, from, now)) {
      gate_.count_repeated();
    }
    return repeated->drone;
  }
  if (const auto * admitted = std::get_if<HelloGate::Admitted>(&verdict)) {
    admit(*admitted, frame, from, now);
    return admitted->drone;
  }
  return std::nullopt;
}

// A hello that proves no address begins a session, and there are few of them. More are recordings.
void GcsEnd::note_unproven_hello(std::uint8_t link, Instant now)
{
  if (now >= unproven_since_ + std::chrono::seconds(1)) {
    unproven_since_ = now;
    unproven_hellos_ = 0;
  }
  ++unproven_total_;
  if (
    ++unproven_hellos_ <= unproven_a_second * (drones_.size() + 1) || now < next_recordings_report_)
  {
    return;
  }
  next_recordings_report_ = now + recordings_report_interval;
  outbox_.push(Event{
    EventKind::refused, now, std::nullopt, nullptr, Epoch{},
    "link " + settings_.paths.links[link].name +
      ": hellos that prove no address come again and again: somebody repeats recorded ones (" +
      std::to_string(unproven_total_) + " so far, " + std::to_string(gate_.strangers().repeated) +
      " of them not answered)"});
}

// Strangers send at any rate; the reports about them are limited.
void GcsEnd::turn_away(const HelloGate::TurnedAway & stranger, Instant now)
{
  const StrangerCounters & counters = gate_.strangers();
  if (stranger.counter == &StrangerCounters::wrong_key) {
    drone(*stranger.drone).reports().note_wrong_key(now);
  }
  if (stranger.counter == &StrangerCounters::over_limit) {
    drone(*stranger.drone).reports().note_crowded(now);
  }
  if (stranger.version != 0) {
    drone(*stranger.drone).reports().note_other_version(stranger.version, now);
  }
  if (now < next_stranger_report_) {
    return;
  }
  next_stranger_report_ = now + stranger_report_interval;
  if (now >= last_stranger_ + stranger_quiet_time) {
    stranger_reports_.reset();
  }
  last_stranger_ = now;
  std::string text = "it is no hello of this protocol";
  if (stranger.counter == &StrangerCounters::unknown_drone) {
    text = "it has the id of no known drone (is its identity new?)";
  } else if (stranger.counter == &StrangerCounters::wrong_key) {
    text = "it has the id of " + drone(*stranger.drone).name() + ", but a different key";
  } else if (stranger.version != 0) {
    text = "it has the id of " + drone(*stranger.drone).name() + ", but " +
           version_conflict(stranger.version);
  } else if (stranger.counter == &StrangerCounters::over_limit) {
    text = "sessions with the key of " + drone(*stranger.drone).name() + " begin too often";
  }
  const EventSeverity severity = stranger_reports_.note("", false, now).severity;
  outbox_.push(Event{
    EventKind::refused, now, std::nullopt, nullptr, Epoch{},
    "hello of a stranger dropped: " + text + " (" + std::to_string(counters.*stranger.counter) +
      " so far)",
    severity});
}

void GcsEnd::admit(
  const HelloGate::Admitted & admitted, ByteView frame, const Endpoint & from, Instant now)
{
  const ClientHello & hello = admitted.hello;
  ServedSession & session = drone(admitted.drone).new_session();
  const std::uint8_t mode_bits = hello.mode & static_cast<std::uint8_t>(~anchor_bit);
  if (const char * problem = anchor_objection(settings_.anchor, is_anchored(hello));
      problem != nullptr)
  {
    session.reject(RejectReason::policy_mismatch, admitted, frame, from, problem, now);
  } else if (hello.policy_hash != policy_hash_ || mode_bits != settings_.mode.to_wire()) {
    const HandshakeMode mode = HandshakeMode::from_wire(hello.mode);
    session.reject(
      RejectReason::policy_mismatch, admitted, frame, from,
      "the drone must be configured alike: " +
        difference(
          SuitePolicy::with_hash(hello.policy_hash, mode), mode, settings_.suites, settings_.mode),
      now);
  } else if (!session.gives_way(admitted.standing, from, now)) {
    turn_away(gate_.turn_away(&StrangerCounters::over_limit, admitted.drone), now);
  } else {
    session.admit(admitted, frame, from, now);
  }
}

// --- Other input ---

[[gnu::hot]] void GcsEnd::handle_received(PeerIndex index, Peer::Received & received, Instant now)
{
  if (received.proved) {
    if (drone(index).handle_proved(now)) {
      open_gate(index);
    }
    gate_.note_session(index);
    take_account(index);
    want_likely_suites();
  }
  drone(index).handle_received(received, now);
}

std::optional<PeerIndex> GcsEnd::handle_job_result(JobId id, JobResult result, Instant now)
{
  const PeerIndex index = Outbox::requester(id);
  if (
    supply_.handle_job_result(id, result, now) ||
    static_cast<std::size_t>(index) >= drones_.size() ||
    !drone(index).handle_job_result(id, result, now))
  {
    return std::nullopt;
  }
  return index;
}

void GcsEnd::request_rekey(const RekeyCommand & command, Instant now)
{
  if (drone(command.peer).request_rekey(command, next_transaction_, now)) {
    ++next_transaction_;
    handle_timeout(command.peer, now);
  }
}

void GcsEnd::take_account(PeerIndex index)
{
  const ServedDrone & drone = this->drone(index);
  Account & account = accounts_[static_cast<std::size_t>(index)];
  const std::size_t bytes = drone.prekey_bytes();
  prekey_bytes_ += bytes - std::exchange(account.prekey_bytes, bytes);
  const EpochKeys * keys = drone.peer().keys().sending();
  const Suite * suite = keys != nullptr ? &keys->suite() : nullptr;
  const Suite * before = std::exchange(account.suite, suite);
  if (suite == before) {
    return;
  }
  const auto place = [this](const Suite * of) {
    return std::ranges::find(in_use_, of, &SuiteInUse::suite);
  };
  if (const auto left = place(before); left != in_use_.end() && --left->drones == 0) {
    in_use_.erase(left);
    suites_changed_ = true;
  }
  if (suite == nullptr) {
    return;
  }
  if (const auto known = place(suite); known != in_use_.end()) {
    ++known->drones;
  } else {
    in_use_.push_back({suite, 1});
    suites_changed_ = true;
  }
}

void GcsEnd::want_likely_suites()
{
  if (!std::exchange(suites_changed_, false)) {
    return;
  }
  std::vector<const Suite *> in_use;
  std::ranges::transform(in_use_, std::back_inserter(in_use), &SuiteInUse::suite);
  supply_.want_for(in_use);
}

// --- What is known ---

void GcsEnd::describe(PeerSnapshot & snapshot, PeerIndex index, Instant now) const
{
  drone(index).describe(snapshot, now);
  snapshot.pool = supply_.status();
  snapshot.pool.bytes_under_way += prekey_bytes_;
}

}  // namespace pqc_tunnel
