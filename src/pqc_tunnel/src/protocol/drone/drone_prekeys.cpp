// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// The prekeys that the drone fetches ahead, for the rekey under way or one to come.

#include <algorithm>
#include <utility>

#include "drone_end.hpp"
#include "link/estimate/arrival_rate.hpp"
#include "protocol/handshake/prekey_pool.hpp"
#include "protocol/handshake/suite_objection.hpp"

namespace pqc_tunnel
{
namespace
{

// A link's rate is measured from one prekey at a time: the pause between two is none of a train.
constexpr Duration prefetch_delay = 4 * ArrivalRate::longest_gap;
constexpr Duration prefetch_retry = std::chrono::minutes(1);

}  // namespace

void DroneEnd::fetch(const Suite & suite, Instant now)
{
  if (!fetch_ || PrekeyKind(fetch_->suite()) != PrekeyKind(suite)) {
    peer_.decline_message(StreamClass::background);
    fetch_.emplace(suite, next_transaction_++, progress_patience + peer_.link().allowance(), now);
    verify_job_.reset();
    peer_.expect_message(
      Channel::session, StreamClass::background, prekey_size(suite, settings_.mode).max);
  }
  if (rekey_.phase() == Rekey::Phase::fetching) {
    rekey_.set_transaction(fetch_->transaction());
  }
  watch_fetch(now);
}

void DroneEnd::watch_fetch(Instant now)
{
  if (!fetch_ || verify_job_) {
    return;
  }
  fetch_->note_progress(peer_.stream_progress(Channel::session));
  if (fetch_->is_stuck(now)) {
    end_fetch(now);
    if (rekey_.phase() == Rekey::Phase::fetching) {
      const std::string text = "the ground station sends no prekey; the old keys stay";
      act(rekey_.handle_failed(false, text), now);
    }
  } else if (fetch_->take_try(now, random_)) {
    peer_.send_control({fetch_->transaction(), Want{fetch_->suite().wire_id}}, now);
  }
}

// Gives the fetch up.
void DroneEnd::end_fetch(Instant now)
{
  fetch_.reset();
  next_prefetch_ = now + prefetch_retry;
}

void DroneEnd::handle_prekey_message(Bytes message, Instant now)
{
  if (!fetch_ || verify_job_ || code_of_prekey(message) != prekey_code(fetch_->suite().wire_id)) {
    return;
  }
  const Suite & suite = fetch_->suite();
  verify_job_ = outbox_.start(VerifyPrekey{
    &suite, settings_.mode, identity_.gcs_id, identity_.gcs_keys.at(suite.signature),
    bind_to_session(identity_.id, peer_.keys().sending()->id(), session_transcript_),
    std::move(message)});
  (void)now;
}

void DroneEnd::handle_prekey_job(JobResult result, Instant now)
{
  verify_job_.reset();
  auto * prekey = std::get_if<VerifiedPrekey>(&result);
  if (prekey == nullptr || !stock_.is_new(prekey->key_id)) {
    end_fetch(now);
    if (rekey_.phase() == Rekey::Phase::fetching) {
      act(rekey_.begin_anew(now), now);
    }
    return;
  }
  const bool awaited = rekey_.phase() == Rekey::Phase::fetching &&
                       PrekeyKind(*rekey_.suite()) == PrekeyKind(*prekey->suite);
  stock_.add(std::move(*prekey), now);
  fetch_.reset();
  if (awaited) {
    peer_.report(
      EventKind::rekey_prepared, now, "the prekey for the rekey has arrived", rekey_.suite());
    act(rekey_.handle_prekey(now), now);
  }
  change_to_configured(now);
}

// The suite in use first, then those likely to follow, as far as there is room. The configured suite needs none.
const Suite * DroneEnd::next_to_prefetch(Instant now) const
{
  const Suite & active = peer_.keys().sending()->suite();
  std::vector<const Suite *> likely = likely_next(active, settings_.suites.allowed());
  if (stands_in_) {
    likely.push_back(settings_.initial_suite);
  }
  for (const Suite * suite : likely) {
    const std::size_t size = kem_sizes(suite->kem).public_key;
    const bool is_owed = stands_in_ && suite == settings_.initial_suite;
    if (
      !stock_.holds(*suite, now) &&
      (is_owed || stock_.bytes() + size <= settings_.prefetch_max_bytes) &&
      std::ranges::find(not_offered_, PrekeyKind(*suite)) == not_offered_.end() &&
      suite_objection(*suite, settings_, identity_).empty() && !blacklist_.holds(*suite, now))
    {
      return suite;
    }
  }
  return nullptr;
}

// On a link of known rate, prekeys take a share of it on average. What counts is the link that streams take now, which
// need not be the one by which the last prekey came.
Instant DroneEnd::next_airtime() const
{
  const auto rate = peer_.paths().stream_rate();
  if (!rate || *rate <= 0) {
    return prefetched_at_;
  }
  const std::chrono::duration<double> pause(
    static_cast<double>(prefetched_bytes_) / (*rate * settings_.prefetch_airtime));
  return prefetched_at_ + std::chrono::duration_cast<Duration>(pause);
}

void DroneEnd::plan_prefetch(Instant now)
{
  next_prefetch_ = next_prefetch_.value_or(now + prefetch_delay);
}

void DroneEnd::prefetch(Instant now)
{
  if (!next_prefetch_ || now < *next_prefetch_) {
    return;
  }
  next_prefetch_ = now + prefetch_delay;
  if (fetch_ || verify_job_ || !may_rekey_by_itself() || now < next_airtime()) {
    return;
  }
  if (const Suite * suite = next_to_prefetch(now)) {
    fetch(*suite, now);
    prefetched_at_ = now;
    prefetched_bytes_ = prekey_size(*suite, settings_.mode).max;
  }
}

}  // namespace pqc_tunnel
