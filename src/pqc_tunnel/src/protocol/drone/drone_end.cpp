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
  use(std::move(identity));
}

// --- Keys of this end ---

void DroneEnd::use(DroneIdentity identity)
{
  const std::vector<Credential> before = std::exchange(credentials_, {});
  const auto add = [&](const Psk & psk, const PublicKeys & gcs, const SigningKeys & own) {
    credentials_.push_back({derive_psk_keys(psk, before), gcs, own});
  };
  add(identity.psk, identity.gcs_keys, identity.signing_keys);
  // The suites are judged by the present keys, and a session may use any of them.
  const auto has_all = [](const auto & former, const auto & present) {
    return std::ranges::all_of(
      present, [&](const auto & key) { return former.contains(key.first); });
  };
  if (
    identity.former && has_all(identity.former->gcs_keys, identity.gcs_keys) &&
    has_all(identity.former->signing_keys, identity.signing_keys))
  {
    add(identity.former->psk, identity.former->gcs_keys, identity.former->signing_keys);
  }
  if (identity.former) {
    identity.former->psk = Psk();
  }
  identity.psk = Psk();  // every key has been derived from it
  identity_ = std::move(identity);
  turn_ = 0;
  usable_ = settings_.suites.allowed();
  std::erase_if(usable_, [this](const Suite * suite) {
    return !suite_objection(*suite, settings_, identity_).empty();
  });
}

void DroneEnd::replace_identity(DroneIdentity identity, Instant now)
{
  const bool other_drone = identity.id != identity_.id || identity.gcs_id != identity_.gcs_id;
  use(std::move(identity));
  const EpochKeys * live = peer_.keys().sending();
  const auto is_known = [this](const SharedPskKeys & psk) {
    return std::ranges::find(credentials_, psk, &Credential::psk) != credentials_.end();
  };
  next_change_ = now;
  changes_.reset();
  erasure_.reset();
  if (std::exchange(erased_, false)) {
    next_attempt_ = now;
  }
  if (other_drone || (live != nullptr && !is_known(live->psk()))) {
    wipe("this drone's keys were replaced", now);
  } else if (attempt_ && !is_known(attempt_->credential.psk)) {
    const bool for_rekey = attempt_->for_rekey;
    end_attempt(now);
    if (for_rekey) {
      act(rekey_.handle_session_failed("this drone's keys were replaced", now), now);
    } else {
      next_attempt_ = now;
    }
  }
  retire_former(now);
}

const DroneEnd::Credential & DroneEnd::credential_of(const SharedPskKeys & psk) const
{
  const auto found = std::ranges::find(credentials_, psk, &Credential::psk);
  return found == credentials_.end() ? credentials_.front() : *found;
}

// Whoever answers nothing may know other keys: each attempt without an answer gives the turn to the next ones.
const DroneEnd::Credential & DroneEnd::credential_of_next_session(bool for_rekey) const
{
  if (for_rekey) {
    return rekey_.kind() == RekeyKind::newest_keys ? credentials_.front() : live();
  }
  return credentials_[turn_ % credentials_.size()];
}

// The ground station uses the newest keys, too.
void DroneEnd::retire_former(Instant now)
{
  if (
    credentials_.size() < 2 || !peer_.keys().confirmed() ||
    peer_.keys().sending()->psk() != newest_psk())
  {
    return;
  }
  credentials_.resize(1);
  turn_ = 0;
  if (identity_.store) {
    erasing_ = outbox_.start(EraseKeys{identity_.store}, peer_.index());
  }
  peer_.report(
    EventKind::reloaded, now, "the new keys are in use, and the ones before are no use any more");
}

// Newer keys than those that the session began with need a new session, which is made beside it.
void DroneEnd::change_to_newest(Instant now)
{
  if (
    !may_rekey_by_itself() || now < next_change_ || waiting_ ||
    peer_.keys().sending()->psk() == newest_psk())
  {
    return;
  }
  const Suite & suite = peer_.keys().sending()->suite();
  if (!objection(suite, RekeyKind::newest_keys, now).text.empty()) {
    return;
  }
  next_change_ = now + changes_.next(random_);  // if this one fails
  start_rekey(suite, RekeyKind::newest_keys, "this drone has newer keys", now);
}

SharedSecretBytes DroneEnd::signing_key(const Credential & credential, const Suite & suite) const
{
  return settings_.mode.drone_signature ? credential.signing_keys.at(suite.signature) : nullptr;
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

[[gnu::hot]] void DroneEnd::handle_received(Peer::Received & received, Instant now)
{
  if (received.channel == Channel::boot) [[unlikely]] {
    handle_boot(received, now);
    return;
  }
  handle_return(now);
  if (received.proved) {
    handle_confirmed(now);
  }
  if (is_background(received.lane)) [[unlikely]] {
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
  } else if (erasure_ && erasure_->job == id) {
    const auto * failed = std::get_if<JobFailed>(&result);
    handle_keys_erased(failed ? std::optional(failed->text) : std::nullopt, now);
  } else if (erasing_ == id) {
    erasing_.reset();
    if (const auto * failed = std::get_if<JobFailed>(&result)) {
      peer_.report(EventKind::refused, now, "the former keys can't be erased: " + failed->text);
    }
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
  watch_erasure(now);
  if (erased_) {
    return;
  }
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
  change_to_newest(now);
  renew_keys(now);
  watch_waiting_rekey(now);
  prefetch(now);
}

Instant DroneEnd::next_timeout() const
{
  if (erased_) {
    return Instant::max();
  }
  Instant next =
    std::min({rekey_.next_timeout(), attempt_timeout(), peer_.wipe_at(), stock_.next_timeout()});
  if (may_rekey_by_itself()) {
    next = std::min(next, std::max(renewal_due(), next_own_rekey_));
    if (!waiting_ && peer_.keys().sending()->psk() != newest_psk()) {
      next = std::min(next, next_change_);
    }
    if (next_prefetch_) {
      next = std::min(next, *next_prefetch_);
    }
  }
  if (erasure_ && erasure_->outcome) {
    next = std::min(next, erasure_->end);
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
  snapshot.likely_cause =
    erased_ ? "the ground station has had this drone's keys erased: give it new ones"
            : likely_cause(facts(now));
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
}

PeerState DroneEnd::state() const
{
  if (peer_.keys().sending() != nullptr) {
    return lost_since_                ? PeerState::lost
           : rekey_.active()          ? PeerState::rekeying
           : peer_.keys().confirmed() ? PeerState::established
                                      : PeerState::handshaking;
  }
  if (attempt_) {
    return attempt_->challenged ? PeerState::handshaking : PeerState::connecting;
  }
  return PeerState::disconnected;
}

}  // namespace pqc_tunnel
