// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "drone_end.hpp"

#include <algorithm>
#include <utility>

#include "protocol/handshake/suite_objection.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr int hints_of_version = 3;  // noise of a serial line may look like one
constexpr Duration blacklisted_for = std::chrono::minutes(30);
constexpr Duration late_answer_memory = std::chrono::minutes(1);

}  // namespace

DroneEnd::DroneEnd(
  const TunnelSettings & settings, DroneIdentity identity, std::vector<Endpoint> gcs_addresses,
  RandomSource & random, Outbox & outbox, Peer & peer, Instant now)
: settings_(settings),
  identity_(std::move(identity)),
  usable_(settings.suites.allowed()),
  psk_(std::make_shared<const PskKeySet>(PskKeySet::derive(identity_.psk))),
  policy_hash_(settings.suites.hash(settings.mode)),
  gcs_addresses_(std::move(gcs_addresses)),
  random_(random),
  outbox_(outbox),
  peer_(peer),
  next_attempt_(now),
  rekey_(random),
  next_transaction_(draw<std::uint32_t>(random)),
  blacklist_(blacklisted_for)
{
  identity_.psk = Psk();  // every key has been derived from it
  std::erase_if(usable_, [this](const Suite * suite) {
    return !suite_objection(*suite, settings_, identity_).empty();
  });
}

SharedSecretBytes DroneEnd::signing_key(const Suite & suite) const
{
  return settings_.mode.drone_signature ? identity_.signing_keys.at(suite.signature) : nullptr;
}

void DroneEnd::set_gcs_addresses(std::vector<Endpoint> addresses, Instant now)
{
  gcs_addresses_ = std::move(addresses);
  for (const Endpoint & address : gcs_addresses_) {
    peer_.paths().set_remote(address, now);
  }
  if (attempt_ && !attempt_->answered) {
    attempt_->next_hello = now;
  }
}

// --- Input ---

void DroneEnd::handle_received(Peer::Received & received, Instant now)
{
  if (received.channel == Channel::boot) {
    handle_boot(received, now);
    return;
  }
  handle_return(now);
  if (received.proved) {
    handle_confirmed(now);
  }
  if (is_background(received.lane)) {
    count_debt(now);
  }
  if (received.control) {
    handle_control(*received.control, now);
  } else if (received.message) {
    handle_prekey_message(received.lane, std::move(*received.message));
  } else if (is_background(received.lane) && peer_.paths().is_stream_rate_sure(now)) {
    keep_pace(now);
  }
}

void DroneEnd::handle_job_result(JobId id, JobResult result, Instant now)
{
  if (attempt_ && attempt_->job == id) {
    handle_attempt_job(std::move(result), now);
  } else if (exchange_ && exchange_->job == id) {
    handle_exchange_job(std::move(result), now);
  } else {
    const auto of_job = [id](const Fetch & fetch) { return fetch && fetch->job() == id; };
    if (const auto fetch = std::ranges::find_if(fetches_, of_job); fetch != fetches_.end()) {
      handle_prekey_job(*fetch, std::move(result), now);
    }
  }
}

void DroneEnd::wipe(const std::string & reason, Instant now)
{
  if (peer_.keys().sending() == nullptr && !attempt_) {
    return;
  }
  peer_.wipe();  // first: nothing is sent under these keys any more
  act(rekey_.handle_session_lost(), now);
  give_up_waiting_rekey(session_lost, now);
  end_attempt(now);
  exchange_.reset();
  stock_.clear();
  end_fetches();
  blacklist_.clear();
  renewals_ = 0;
  lost_since_.reset();
  session_transcript_ = {};
  anchor_.reset();
  next_attempt_ = next_attempt_.value_or(now);
  peer_.report(EventKind::keys_wiped, now, "all session keys are wiped: " + reason);
}

// --- Time ---

void DroneEnd::handle_timeout(Instant now)
{
  if (now >= peer_.wipe_at()) {
    wipe("the ground station has long answered nothing", now);
  }
  watch_attempt(now);
  if (exchange_ && exchange_->finish) {
    rekey_.note_progress(
      std::max(rekey_.exchange_began(), peer_.stream_progress(Channel::session)));
  }
  act(rekey_.handle_timeout(now), now);
  watch_fetches(now);
  stock_.handle_timeout(now);
  const bool has_keys = peer_.keys().sending() != nullptr;
  if (has_keys && !lost_since_ && now >= peer_.link().lost_from()) {
    handle_silence(now);
  }
  replace_used_up_keys(now);
  if (next_attempt_ && now >= *next_attempt_ && !attempt_) {
    // Not with the suite of before: with a heavy one nothing would pass until its key has.
    begin_session(suite_of_next_session(now), false, now);
  }
  renew_keys(now);
  watch_waiting_rekey(now);
  prefetch(now);
}

Instant DroneEnd::next_timeout() const
{
  Instant next =
    std::min({rekey_.next_timeout(), attempt_timeout(), peer_.wipe_at(), stock_.next_timeout()});
  if (may_rekey_by_itself()) {
    next = std::min(next, std::max(renewal_due(), next_own_rekey_));
    if (next_prefetch_) {
      next = std::min(next, *next_prefetch_);
    }
  }
  for (const Fetch & fetch : fetches_) {
    if (fetch && !fetch->job() && !lost_since_) {
      next = std::min(next, fetch->next_timeout());
    }
  }
  if (peer_.keys().sending() != nullptr && !lost_since_) {
    next = std::min(next, peer_.link().lost_from());
  }
  return next;
}

// --- What is known ---

PeerFacts DroneEnd::facts(Instant now) const
{
  PeerFacts facts = peer_.facts(now);
  facts.lost = lost_since_.has_value();
  facts.unconfirmed =
    unconfirmed_since_ && now >= *unconfirmed_since_ + datagram_patience + round_trip_;
  facts.overdue = renewals_ > 1;
  facts.trouble = trouble_;
  facts.other_version = other_version_ && other_version_->count >= hints_of_version
                          ? version_now(other_version_, now)
                          : 0;
  if (late_answer_ && now < late_answer_->at + late_answer_memory) {
    facts.late_answer = late_answer_->round_trip;
  }
  facts.failed = failed_;
  return facts;
}

void DroneEnd::describe(PeerSnapshot & snapshot, Instant now) const
{
  peer_.describe(snapshot, now);
  snapshot.likely_cause = likely_cause(facts(now));
  snapshot.timing = timing_;
  snapshot.anchor = anchor_;
  snapshot.handshakes = handshakes_;
  snapshot.rekeys = rekeys_;
  snapshot.ratchets = ratchets_;
  snapshot.rollbacks = rollbacks_;
  snapshot.prekeys = stock_.count();
  snapshot.fetches = fetches(now);
  snapshot.pool.stored = stock_.count();
  snapshot.pool.bytes = stock_.bytes();
  snapshot.pool.bytes_under_way = peer_.message_bytes_arriving();
  if (peer_.keys().sending() != nullptr) {
    snapshot.state = lost_since_                ? PeerState::lost
                     : rekey_.active()          ? PeerState::rekeying
                     : peer_.keys().confirmed() ? PeerState::established
                                                : PeerState::handshaking;
  } else if (attempt_) {
    snapshot.state = attempt_->challenged ? PeerState::handshaking : PeerState::connecting;
  } else {
    snapshot.state = PeerState::disconnected;
  }
}

}  // namespace pqc_tunnel
