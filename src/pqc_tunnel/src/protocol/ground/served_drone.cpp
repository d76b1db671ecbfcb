// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "served_drone.hpp"

#include <algorithm>
#include <utility>

namespace pqc_tunnel
{

ServedDrone::ServedDrone(
  const TunnelSettings & settings, DroneRecord record, PrekeySupply & supply, RandomSource & random,
  Outbox & outbox, Peer & peer)
: context_{settings, supply, random, outbox, peer, {}, {}, ServedReports(settings, peer)},
  peer_(peer),
  new_session_(context_),
  rekeys_(context_),
  erasure_(context_)
{
  context_.use(std::move(record));
}

void ServedDrone::replace(DroneRecord record, Instant now)
{
  const bool other_drone = record.id != context_.record.id;
  context_.use(std::move(record));
  const EpochKeys * live = peer_.keys().sending();
  const SharedPskKeys attempt = new_session_.psk();
  const auto is_known = [this](const SharedPskKeys & psk) {
    return psk == nullptr || context_.find(psk) != nullptr;
  };
  if (other_drone || (live != nullptr && !is_known(live->psk()))) {
    wipe("the drone's keys were replaced", true, now);
  } else if (!is_known(attempt)) {
    new_session_.end_attempt(now);
  }
  retire_former(now);
}

void ServedDrone::expire(KeyAge keys, Instant now)
{
  for (Credential & credential : context_.credentials) {
    if (credential.age == keys && std::exchange(credential.accepted, false)) {
      peer_.report(
        EventKind::key_limit, now,
        std::string(keys == KeyAge::former ? "the keys before the rotation" : "the keys") +
          " have expired by this machine's clock: no session begins with them; one that has begun "
          "goes on");
    }
  }
}

std::vector<SharedPskKeys> ServedDrone::accepted() const
{
  std::vector<SharedPskKeys> psks;
  for (const Credential & credential : context_.credentials) {
    if (credential.accepted) {
      psks.push_back(credential.psk);
    }
  }
  return psks;
}

bool ServedDrone::retire_former(Instant now)
{
  const EpochKeys * live = peer_.keys().sending();
  if (
    live == nullptr || context_.credentials.size() < 2 ||
    live->psk() != context_.credentials.front().psk)
  {
    return false;
  }
  context_.credentials.resize(1);
  if (new_session_.under_way() && new_session_.psk() != live->psk()) {
    new_session_.end_attempt(now);
  }
  if (context_.record.store) {
    erasing_ = context_.outbox.start(EraseKeys{context_.record.store}, peer_.index());
  }
  peer_.report(
    EventKind::reloaded, now,
    "the drone uses its new keys, and the ones before are no use any more");
  return true;
}

// --- Input ---

bool ServedDrone::handle_proved(Instant now)
{
  const EpochKeys & keys = *peer_.keys().sending();
  const bool new_session = keys.id() != session_;
  const bool is_rekey = !new_session || epoch_ == last_epoch;
  peer_.link().start_listening(now);
  if (new_session) {
    session_ = keys.id();
    new_session_.handle_proved(session_, now);
    peer_.reset_session_streams();
    rekeys_.begin_session(keys.transcript());
  }
  new_session_.forget_formers();
  epoch_ = keys.epoch();
  context_.reports.note_proved();
  peer_.send_control({0, Keepalive{}}, now);  // confirms them to the drone at once
  if (is_rekey) {
    ++rekeys_done_;
    ratchets_ += keys.ratchets() > 0 ? 1 : 0;
    peer_.report(
      EventKind::rekey_confirmed, now, "sending under new keys", &keys.suite(), keys.epoch());
  }
  peer_.report_protection(now);
  rekeys_.handle_proved(keys, new_session, now);
  return retire_former(now);
}

[[gnu::hot]] void ServedDrone::handle_received(Peer::Received & received, Instant now)
{
  if (received.channel == Channel::boot) {
    new_session_.handle_received(received, now);
    return;
  }
  context_.reports.note_heard();
  context_.reports.handle_received(now);
  if (
    received.former && received.control &&
    std::holds_alternative<Superseded>(received.control->body))
  {
    // A drone says under the keys of a former session that it still uses it: the live one is another's.
    peer_.handle_clone(now);
    peer_.send_control({0, Superseded{}}, now);
  } else if (
    const auto * erased = received.control ? std::get_if<Erased>(&received.control->body) : nullptr)
  {
    if (!erasure_.handle_erased(received.control->transaction, *erased, now)) {
      ++peer_.traffic().control_ignored;
    }
  } else if (received.control) {
    rekeys_.handle_control(*received.control, received.order, now);
  } else if (received.message && key_message_type(*received.message) == KeyMessageType::rekey) {
    rekeys_.handle_message(std::move(*received.message), received.order, now);
  }
}

bool ServedDrone::handle_job_result(JobId id, JobResult & result, Instant now)
{
  if (erasing_ == id) {
    erasing_.reset();
    if (const auto * failed = std::get_if<JobFailed>(&result)) {
      peer_.report(EventKind::refused, now, "the former keys can't be erased: " + failed->text);
    }
    return true;
  }
  return rekeys_.handle_job_result(id, result, now) ||
         new_session_.handle_job_result(id, result, now);
}

void ServedDrone::wipe(const std::string & reason, bool tell, Instant now)
{
  if (peer_.keys().empty() && !new_session_.under_way()) {
    return;
  }
  if (tell) {
    peer_.send_wiped(now);
  }
  new_session_.end_attempt(now);
  new_session_.forget_formers();
  session_ = {};
  context_.anchor.reset();
  context_.reports.handle_wiped();
  rekeys_.handle_wiped(now);
  erasure_.handle_wiped(now);
  peer_.wipe();
  peer_.report(EventKind::keys_wiped, now, "all session keys are wiped: " + reason);
}

// --- Time ---

void ServedDrone::handle_timeout(Instant now)
{
  if (now >= peer_.wipe_at()) {
    wipe("the drone has long answered nothing", false, now);
  }
  new_session_.handle_timeout(now);
  rekeys_.drop_expired_prekeys(now);
  context_.send_answers(now);
  context_.reports.handle_timeout(now);
  rekeys_.watch_request(now);
  erasure_.handle_timeout(now);
}

Instant ServedDrone::next_timeout() const
{
  Instant next = std::min(
    {peer_.wipe_at(), new_session_.next_timeout(), rekeys_.next_timeout(),
     context_.reports.next_timeout(), erasure_.next_timeout()});
  for (const KeySlots::Pending & pending : peer_.keys().pending()) {
    next = std::min(next, pending.answer.next);
  }
  return next;
}

// --- What is known ---

void ServedDrone::describe(PeerSnapshot & snapshot, Instant now) const
{
  peer_.describe(snapshot, now);
  snapshot.likely_cause = context_.reports.cause(now);
  snapshot.timing = context_.timing;
  snapshot.anchor = context_.anchor;
  snapshot.handshakes = context_.handshakes;
  snapshot.rekeys = rekeys_done_;
  snapshot.ratchets = ratchets_;
  snapshot.prekeys = rekeys_.prekeys();
}

PeerState ServedDrone::state() const
{
  if (peer_.keys().sending() == nullptr) {
    return new_session_.under_way() ? PeerState::handshaking : PeerState::disconnected;
  }
  // A new session is made beside the live one: that it is under way says nothing about this one.
  return context_.reports.is_lost() ? PeerState::lost
         : rekeys_.under_way()      ? PeerState::rekeying
                                    : PeerState::established;
}

}  // namespace pqc_tunnel
