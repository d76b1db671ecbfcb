// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// The ground station's half of new sessions: which hellos are answered, and the attempts that follow.

#include <algorithm>
#include <utility>

#include "gcs_end.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr Duration stranger_report_interval = std::chrono::seconds(1);
constexpr Duration stranger_quiet_time = std::chrono::minutes(20);
constexpr std::uint64_t unproven_a_second = 20;  // of a drone, to several addresses
constexpr Duration recordings_report_interval = std::chrono::minutes(1);
constexpr Duration later_interval = std::chrono::seconds(2);

}  // namespace

// --- Hellos ---

void GcsEnd::handle_hello(ByteView frame, const Endpoint & from, Instant now)
{
  if (peers_.size() == 1) {
    gate_.set_found_rate(peers_[0].found_rate());
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
  } else if (const auto * challenged = std::get_if<HelloGate::Challenged>(&verdict)) {
    ++drone(challenged->drone).unanswered_hellos;
    drone(challenged->drone).heard_of = now;
    outbox_.push(SendDatagram{challenged->drone, from, challenged->retry, TrafficClass::unproved});
  } else if (const auto * repeated = std::get_if<HelloGate::Repeated>(&verdict)) {
    repeat(repeated->drone, frame, from, now);
  } else if (const auto * admitted = std::get_if<HelloGate::Admitted>(&verdict)) {
    admit(*admitted, frame, from, now);
  }
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
    drone(*stranger.drone).wrong_key = true;
    drone(*stranger.drone).heard_of = now;
  }
  if (stranger.counter == &StrangerCounters::over_limit) {
    drone(*stranger.drone).crowded = now;
  }
  if (stranger.version != 0) {
    drone(*stranger.drone).other_version = VersionHint{stranger.version, now};
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
    text = "it has the id of " + drone(*stranger.drone).record.name + ", but a different key";
  } else if (stranger.version != 0) {
    text = "it has the id of " + drone(*stranger.drone).record.name + ", but " +
           version_conflict(stranger.version);
  } else if (stranger.counter == &StrangerCounters::over_limit) {
    text = "sessions with the key of " + drone(*stranger.drone).record.name + " begin too often";
  }
  const EventSeverity severity = stranger_reports_.note("", false, now).severity;
  outbox_.push(Event{
    EventKind::refused, now, std::nullopt, nullptr, Epoch{},
    "hello of a stranger dropped: " + text + " (" + std::to_string(counters.*stranger.counter) +
      " so far)",
    severity});
}

// The hello of an attempt again: its answer was lost, or it is a recording. With another challenge it comes from another
// address, where the drone may be instead: it knows the boot keys of each challenge that it has answered.
void GcsEnd::repeat(PeerIndex index, ByteView frame, const Endpoint & from, Instant now)
{
  Drone & owner = drone(index);
  if (
    !owner.attempt || parse_client_hello(owner.attempt->hello).client_random !=
                        parse_client_hello(frame).client_random)
  {
    gate_.count_repeated();
    return;
  }
  if (std::ranges::equal(owner.attempt->hello, frame)) {
    peer(index).redirect_boot(from);
  } else {
    peer(index).copy_boot_to(from);
  }
  if (!owner.attempt->prekey) {
    owner.attempt->next_later = now;
  }
}

bool GcsEnd::is_live_host(PeerIndex index, const Endpoint & from) const
{
  const Peer & remote = peers_[static_cast<std::size_t>(index)];
  return same_host(remote.paths().remote(from.link), from);
}

// An attempt that gets on gives way to a newer one of its own host, or of one that is no worse.
bool GcsEnd::gives_way(
  PeerIndex index, const HelloGate::Admitted & newer, const Endpoint & from, Instant now) const
{
  const auto & attempt = drone(index).attempt;
  return !attempt || newer.standing >= attempt->standing || same_host(attempt->from, from) ||
         now >= std::max(
                  attempt->progress,
                  peers_[static_cast<std::size_t>(index)].stream_progress(Channel::boot)) +
                  answer_patience;
}

void GcsEnd::admit(
  const HelloGate::Admitted & admitted, ByteView frame, const Endpoint & from, Instant now)
{
  const PeerIndex index = admitted.drone;
  const ClientHello & hello = admitted.hello;
  Drone & owner = drone(index);
  if (hello.policy_hash != policy_hash_ || hello.mode != settings_.mode.to_wire()) {
    const HandshakeMode mode = HandshakeMode::from_wire(hello.mode);
    reject(
      index, RejectReason::policy_mismatch, hello, frame, from,
      "the drone must be configured alike: " +
        difference(
          SuitePolicy::with_hash(hello.policy_hash, mode), mode, settings_.suites, settings_.mode),
      now);
    return;
  }
  if (!gives_way(index, admitted, from, now)) {
    turn_away(gate_.turn_away(&StrangerCounters::over_limit, index), now);
    return;
  }
  const Suite * suite = registry().find(hello.suite);
  const std::string problem =
    suite == nullptr ? "the drone requests a suite that is unknown here" : objection(*suite, owner);
  if (!problem.empty()) {
    reject(index, RejectReason::suite_refused, hello, frame, from, problem, now);
    return;
  }
  if (
    owner.attempt && owner.attempt->prekey &&
    !peer(index).is_sending_message(Channel::boot, StreamClass::foreground))
  {
    // The drone has the prekey and begins anew instead of answering.
    report_failed(
      index, EventKind::handshake_failed, {HandshakeFailure::timeout, ""}, owner.attempt->suite,
      now);
  }
  // One attempt at a time per drone: the newest one that proved the PSK and its address.
  end_attempt(index, now);
  owner.attempt.emplace(Attempt{});
  owner.attempt->suite = suite;
  owner.attempt->hello.assign(frame.begin(), frame.end());
  owner.attempt->from = from;
  owner.attempt->standing = admitted.standing;
  owner.attempt->started = owner.attempt->progress = now;
  owner.attempt->patience = progress_patience + admitted.challenge_age;
  owner.unanswered_hellos = 0;
  peer(index).report(
    EventKind::handshake_started, now, "handshake started by the drone", suite, Epoch{},
    severity_of_try(index));
  peer(index).start_boot(
    *suite,
    boot_secrets(owner.psk->of(suite->wire_id), suite->aead, hello.client_random, hello.challenge),
    from, now);
  peer(index).expect_message(
    Channel::boot, StreamClass::foreground, 1 + finish_size(*suite, settings_.mode).max);
  owner.attempt->next_later = now;
  issue(index, Channel::boot, *suite, 0, bind_to_hello(frame), now);
  watch_attempt(index, now);
}

void GcsEnd::reject(
  PeerIndex index, RejectReason reason, const ClientHello & hello, ByteView frame,
  const Endpoint & to, const std::string & text, Instant now)
{
  const PskKeys & psk = drone(index).psk->of(hello.suite);
  Bytes message = encode_reject(reason);
  append_mac(message, psk, psk.retry, frame);
  outbox_.push(SendDatagram{index, to, std::move(message), TrafficClass::unproved});
  report_failed(
    index, EventKind::refused, {HandshakeFailure::suite_refused, text},
    registry().find(hello.suite), now);
}

// --- Under the boot keys ---

void GcsEnd::handle_boot(PeerIndex index, Peer::Received & received, Instant now)
{
  Drone & owner = drone(index);
  if (!owner.attempt) {
    return;
  }
  Attempt & attempt = *owner.attempt;
  attempt.progress = now;
  if (const auto sent = std::exchange(attempt.prekey_sent, std::nullopt)) {
    owner.round_trip = now - *sent;
  }
  if (received.control) {
    ++peer(index).traffic().control_ignored;
    return;
  }
  if (!received.message) {
    return;
  }
  const ByteView message = *received.message;
  if (!attempt.prekey || key_message_type(message) != KeyMessageType::finish) {
    return;  // or its Finish has come already: a prekey is used once
  }
  attempt.next_later = now + later_interval;
  Exchange exchange;
  exchange.suite = attempt.suite;
  exchange.opening = attempt.hello;
  exchange.client_random = parse_client_hello(attempt.hello).client_random;
  exchange.started = attempt.started;
  exchange.issued = attempt.timing;
  begin_exchange(
    index, Channel::boot, std::move(exchange), *std::exchange(attempt.prekey, std::nullopt),
    message.subspan(1), now);
}

void GcsEnd::end_attempt(PeerIndex index, Instant now)
{
  Drone & owner = drone(index);
  owner.attempt.reset();
  owner.boot_lane.abandon();
  for (auto & [keys, answer] : peer(index).keys().pending()) {
    if (keys && keys->epoch() == Epoch{}) {
      answer.next = Instant::max();
    }
  }
  peer(index).end_boot(now);
}

void GcsEnd::handle_attempt_failed(PeerIndex index, const FailedHandshake & failed, Instant now)
{
  const Suite * suite = drone(index).attempt->suite;
  end_attempt(index, now);
  report_failed(index, EventKind::handshake_failed, failed, suite, now);
}

void GcsEnd::watch_attempt(PeerIndex index, Instant now)
{
  Drone & owner = drone(index);
  if (!owner.attempt) {
    return;
  }
  Attempt & attempt = *owner.attempt;
  const bool working = owner.boot_lane.working();
  if (now >= attempt.next_later) {
    attempt.next_later = working ? now + later_interval : Instant::max();
    const auto estimate =
      std::chrono::ceil<std::chrono::milliseconds>(pool_.estimate(*attempt.suite));
    peer(index).send_control(
      {transaction_of(parse_client_hello(attempt.hello).client_random),
       Later{static_cast<std::uint32_t>(estimate.count())}},
      now, Channel::boot);
  }
  if (working || now < end_of_patience(static_cast<std::size_t>(index))) {
    return;
  }
  if (attempt.made) {
    end_attempt(index, now);  // report_missing_datagrams says why
  } else {
    handle_attempt_failed(index, {HandshakeFailure::timeout, ""}, now);
  }
}

// --- Reports ---

// The same failure of one drone is logged at a decreasing rate.
void GcsEnd::report_failed(
  PeerIndex index, EventKind kind, const FailedHandshake & failed, const Suite * suite, Instant now)
{
  Drone & owner = drone(index);
  const bool in_use = peer(index).keys().sending() != nullptr && !owner.lost_since;
  PeerFacts known = facts(index, now);
  known.has_keys = false;  // the cause of this failure, even if there are older keys
  known.failed = failed;
  if (!in_use) {
    owner.failed = failed;
    owner.failed_at = now;
  }
  const auto entry = owner.failures.note(likely_cause(known), false, now);
  const char * what = kind == EventKind::refused ? "handshake refused: " : "handshake failed: ";
  peer(index).report(kind, now, what + entry.text, suite, Epoch{}, entry.severity);
}

std::optional<EventSeverity> GcsEnd::severity_of_try(PeerIndex index) const
{
  return drone(index).failures.failing() ? std::optional(EventSeverity::debug) : std::nullopt;
}

void GcsEnd::report_missing_datagrams(PeerIndex index, Instant now)
{
  Drone & owner = drone(index);
  if (!owner.next_silence_report || now < *owner.next_silence_report) {
    return;
  }
  const Instant due = *owner.unconfirmed_since + datagram_patience + owner.round_trip;
  if (now < due) {
    owner.next_silence_report = due;  // that of a newer attempt is longer
    return;
  }
  owner.next_silence_report.reset();
  if (peer(index).last_heard() < *owner.unconfirmed_since) {
    const auto entry = owner.failures.note(likely_cause(facts(index, now)), false, now);
    peer(index).report(
      EventKind::handshake_failed, now, entry.text, nullptr, Epoch{}, entry.severity);
  }
}

}  // namespace pqc_tunnel
