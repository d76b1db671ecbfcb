// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// The prekeys that the drone fetches, each in a lane of its own: for the rekey that waits for one, for those that commands
// ask for, and ahead of likely ones. Fetches end with the session.

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "drone_end.hpp"
#include "fetch_costs.hpp"
#include "link/estimate/arrival_rate.hpp"
#include "protocol/handshake/prekey_pool.hpp"

namespace pqc_tunnel
{
namespace
{

// A link's rate is measured from the parts that follow each other: the pause between two prekeys is none of a train.
constexpr Duration prefetch_delay = 4 * ArrivalRate::longest_gap;
constexpr Duration prefetch_retry = std::chrono::minutes(1);
// The key of another suite than the one in use that takes longer is fetched only when it is asked for.
constexpr double longest_unasked_s = 60;
// While there are keys that were asked for, any other that takes longer waits for their rekeys.
constexpr double longest_beside_asked_s = 5;
constexpr double pace_tolerance = 1.25;
// The rest of the airtime is for acknowledgements and WANT.
constexpr double share_of_parts = 0.91;

}  // namespace

// --- Commands ---

std::string DroneEnd::fetch_objection(const Suite & suite, Instant now) const
{
  const EpochKeys * keys = peer_.keys().sending();
  if (keys == nullptr || lost_since_ || keys->used_up()) {
    return "there is no session to fetch a key in";
  }
  if (std::string fault = suite_fault(suite, now); !fault.empty()) {
    return fault;
  }
  if (std::ranges::find(not_offered_, PrekeyKind(suite)) != not_offered_.end()) {
    return "the ground station has no key for " + std::string(suite.id);
  }
  return {};
}

void DroneEnd::request_fetch(const RekeyCommand & command, Instant now)
{
  const auto suite = suite_of(command);
  const std::string problem = suite ? fetch_objection(**suite, now) : suite.error().message;
  if (!problem.empty()) {
    peer_.reply(command.id, false, problem, timing_);
    return;
  }
  if (!is_asked(PrekeyKind(**suite))) {
    asked_.push_back(*suite);
    if (asked_.size() > max_prekeys) {
      asked_.erase(asked_.begin());
    }
  }
  const bool is_here = stock_.holds(**suite, now);
  if (!is_here && may_rekey_by_itself() && !waiting_ && may_begin(**suite, now)) {
    fetch(**suite, false, now);
  }
  put_off_unasked();
  plan_prefetch(now);
  const std::string id((*suite)->id);
  peer_.reply(
    command.id, true,
    is_here ? "the key for " + id + " is here" : "the key for " + id + " is being fetched",
    timing_);
}

bool DroneEnd::is_asked(const PrekeyKind & kind) const
{
  return std::ranges::any_of(
    asked_, [&](const Suite * suite) { return PrekeyKind(*suite) == kind; });
}

void DroneEnd::forget_asked(const Suite & suite)
{
  std::erase_if(
    asked_, [&](const Suite * asked) { return PrekeyKind(*asked) == PrekeyKind(suite); });
}

// Gives up what has hardly begun and would not be begun now.
void DroneEnd::put_off_unasked()
{
  for (std::size_t slot = 0; slot < fetches_.size(); ++slot) {
    Fetch & fetch = fetches_[slot];
    if (!fetch || fetch->job() || fetch->is_urgent() || is_asked(PrekeyKind(fetch->suite()))) {
      continue;
    }
    const std::size_t whole = prekey_size(fetch->suite(), settings_.mode).max;
    const std::size_t arrived = peer_.arriving(lane_of(slot)).bytes;
    if (!may_be_unasked(fetch->suite()) && 4 * arrived < whole) {
      fetch.reset();
    }
  }
}

// Returns whether a key is fetched although nobody has asked for it.
bool DroneEnd::may_be_unasked(const Suite & suite) const
{
  const double pace = budget();
  const double most_s = asked_.empty() ? longest_unasked_s : longest_beside_asked_s;
  const std::size_t size = kem_sizes(suite.kem).public_key;
  return (pace == 0 ? size <= ArrivalRate::long_train
                    : static_cast<double>(size) <= pace * most_s) ||
         (asked_.empty() && suite.kem == peer_.keys().sending()->suite().kem);
}

// --- The course of a fetch ---

const PrekeyFetch * DroneEnd::find_fetch(const Suite & suite) const
{
  for (const Fetch & fetch : fetches_) {
    if (fetch && PrekeyKind(fetch->suite()) == PrekeyKind(suite)) {
      return &*fetch;
    }
  }
  return nullptr;
}

// Returns a free slot, or one whose fetch may be given up; the number of slots if there is none.
std::size_t DroneEnd::slot_for(bool urgent) const
{
  std::size_t best = fetches_.size();
  std::tuple<bool, std::size_t> most;
  for (std::size_t slot = 0; slot < fetches_.size(); ++slot) {
    const Fetch & fetch = fetches_[slot];
    if (!fetch) {
      return slot;
    }
    const bool asked = is_asked(PrekeyKind(fetch->suite()));
    const auto arriving = peer_.arriving(lane_of(slot));
    const std::tuple cost(!asked, prekey_size(fetch->suite(), settings_.mode).max - arriving.bytes);
    if (!fetch->job() && (urgent || !asked) && (best == fetches_.size() || cost > most)) {
      best = slot;
      most = cost;
    }
  }
  return best;
}

bool DroneEnd::fetch(const Suite & suite, bool urgent, Instant now)
{
  for (std::size_t slot = 0; slot < fetches_.size(); ++slot) {
    Fetch & fetch = fetches_[slot];
    if (fetch && PrekeyKind(fetch->suite()) == PrekeyKind(suite)) {
      if (urgent) {
        fetch->hurry(now);
      }
      watch_fetches(now);
      return true;
    }
  }
  const std::size_t slot = slot_for(urgent);
  if (slot == fetches_.size()) {
    return false;
  }
  peer_.decline_message(lane_of(slot));
  fetches_[slot].emplace(
    suite, next_transaction_++, urgent, progress_patience + peer_.link().allowance(), now);
  peer_.expect_message(Channel::session, lane_of(slot), prekey_size(suite, settings_.mode).max);
  watch_fetches(now);
  return true;
}

void DroneEnd::watch_fetches(Instant now)
{
  if (lost_since_) {
    return;  // they go on when the ground station is back
  }
  keep_pace(now);
  Instant progress;
  for (const StreamLane lane : background_lanes) {
    progress = std::max(progress, peer_.arriving(lane).at);
  }
  for (std::size_t slot = 0; slot < fetches_.size(); ++slot) {
    if (!fetches_[slot]) {
      peer_.decline_message(lane_of(slot));  // of a fetch that was put off
    } else if (!fetches_[slot]->job()) {
      fetches_[slot]->note_others(progress);
      watch_fetch(fetches_[slot], lane_of(slot), now);
    }
  }
}

void DroneEnd::watch_fetch(Fetch & fetch, StreamLane lane, Instant now)
{
  fetch->note_progress(peer_.arriving(lane).at);
  if (fetch->is_stuck(now)) {
    const bool awaited = waits_for(fetch->suite());
    end_fetch(fetch, now);
    if (awaited) {
      give_up_waiting_rekey("the ground station sends no prekey; the old keys stay", now);
    }
  } else {
    ask_for(fetch, lane, now);
  }
}

// Sends WANT if it is due.
void DroneEnd::ask_for(Fetch & fetch, StreamLane lane, Instant now)
{
  if (fetch->take_try(now, random_) && speaks(*fetch)) {
    const auto pace = static_cast<std::uint32_t>(peer_.background_pace());
    peer_.send_control({fetch->transaction(), Want{fetch->suite().wire_id, lane, pace}}, now);
  }
}

// Without a pace the lane of the newest WANT goes first: that of the key which a rekey waits for.
bool DroneEnd::speaks(const PrekeyFetch & fetch) const
{
  return !is_urgent() || waits_for(fetch.suite());
}

// Gives the fetch up.
void DroneEnd::end_fetch(Fetch & fetch, Instant now)
{
  peer_.decline_message(lane_of(static_cast<std::size_t>(&fetch - fetches_.data())));
  fetch.reset();
  next_prefetch_ = now + prefetch_retry;
}

void DroneEnd::end_fetches()
{
  fetches_ = {};
  asked_.clear();
  next_prefetch_.reset();
}

// Returns false if the message is about something else.
bool DroneEnd::handle_fetch_control(const ControlFrame & frame, Instant now)
{
  const auto found = std::ranges::find_if(fetches_, [&](const Fetch & fetch) {
    return fetch && fetch->transaction() == frame.transaction;
  });
  if (const auto * later = std::get_if<Later>(&frame.body)) {
    if (found != fetches_.end()) {
      (*found)->handle_later(std::chrono::milliseconds(later->estimate_ms), now);
    }
    return true;
  }
  if (found == fetches_.end() || !std::holds_alternative<Abort>(frame.body)) {
    return false;
  }
  const Suite & suite = (*found)->suite();
  found->reset();
  if (waits_for(suite)) {
    begin_waiting_rekey_anew(now);
  } else {
    not_offered_.emplace_back(suite);
    forget_asked(suite);
  }
  return true;
}

void DroneEnd::handle_prekey_message(StreamLane lane, Bytes message)
{
  if (!is_background(lane)) {
    return;
  }
  Fetch & fetch = fetches_[static_cast<std::size_t>(lane) - 1];
  if (!fetch || fetch->job() || code_of_prekey(message) != prekey_code(fetch->suite().wire_id)) {
    return;
  }
  const Suite & suite = fetch->suite();
  fetch->begin_job(outbox_.start(VerifyPrekey{
    &suite, settings_.mode, identity_.gcs_id, live().gcs_keys.at(suite.signature),
    bind_to_session(identity_.id, peer_.keys().sending()->id(), session_transcript_),
    std::move(message)}));
}

void DroneEnd::handle_prekey_job(Fetch & fetch, JobResult result, Instant now)
{
  const Suite & suite = fetch->suite();
  auto * prekey = std::get_if<VerifiedPrekey>(&result);
  if (prekey == nullptr || !stock_.is_new(prekey->key_id)) {
    end_fetch(fetch, now);
    if (waits_for(suite)) {
      begin_waiting_rekey_anew(now);
    }
    return;
  }
  fetch.reset();
  store(std::move(*prekey), now);
  if (waits_for(suite)) {
    peer_.report(
      EventKind::rekey_prepared, now, "the prekey for the rekey has arrived", waiting_->suite);
    begin_waiting_rekey(now);
  }
  change_to_configured(now);
}

// A prekey that was asked for takes the room of others.
void DroneEnd::store(VerifiedPrekey prekey, Instant now)
{
  const std::size_t size = prekey.public_key.size();
  const PrekeyKind kind(*prekey.suite);
  if (is_asked(kind)) {
    stock_.make_room(size, settings_.prefetch_max_bytes, [&](const PrekeyKind & other) {
      return is_asked(other);
    });
  }
  stock_.add(std::move(prekey), now);
}

// --- What is fetched ahead ---

// The suite in use first, then those likely to follow, as far as there is room. The configured suite needs none.
const Suite * DroneEnd::next_to_prefetch(Instant now) const
{
  const Suite & active = peer_.keys().sending()->suite();
  std::vector<const Suite *> likely = likely_next(active, settings_.suites.allowed());
  if (stands_in_) {
    likely.push_back(settings_.initial_suite);
  }
  std::size_t taken = stock_.bytes();
  for (const Fetch & fetch : fetches_) {
    taken += fetch ? kem_sizes(fetch->suite().kem).public_key : 0;
  }
  for (const Suite * suite : likely) {
    const std::size_t size = kem_sizes(suite->kem).public_key;
    const bool is_owed = stands_in_ && suite == settings_.initial_suite;
    if (
      !stock_.holds(*suite, now) && find_fetch(*suite) == nullptr &&
      (is_owed || taken + size <= settings_.prefetch_max_bytes) &&
      (is_owed || may_be_unasked(*suite)) && may_begin(*suite, now) &&
      fetch_objection(*suite, now).empty())
    {
      return suite;
    }
  }
  return nullptr;
}

const Suite * DroneEnd::next_asked(Instant now) const
{
  const auto found = std::ranges::find_if(asked_, [&](const Suite * suite) {
    return !stock_.holds(*suite, now) && find_fetch(*suite) == nullptr && may_begin(*suite, now);
  });
  return found == asked_.end() ? nullptr : *found;
}

// One after the other, but a long key keeps none of the next ones waiting.
bool DroneEnd::may_fetch_ahead() const
{
  return std::ranges::all_of(
    fetches_, [](const Fetch & fetch) { return !fetch || (fetch->has_begun() && !fetch->job()); });
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
  if (!may_rekey_by_itself() || waiting_ || !may_fetch_ahead()) {
    return;
  }
  const Suite * suite = next_asked(now);
  suite = suite == nullptr ? next_to_prefetch(now) : suite;
  if (suite != nullptr) {
    fetch(*suite, false, now);
  }
}

// --- Pace ---

bool DroneEnd::is_urgent() const
{
  return waiting_ && !waiting_->anew && find_fetch(*waiting_->suite) != nullptr;
}

// Returns the bytes per second on the line that fetches may take of the link that streams take now; 0: what data leaves.
double DroneEnd::budget() const
{
  const auto rate = peer_.paths().stream_rate();
  return rate && *rate > 0
           ? std::clamp(std::floor(*rate * settings_.prefetch_airtime * share_of_parts), 1.0, 4e9)
           : 0;
}

// Returns whether a key would come without a pace, since it is long enough to measure the link and the rate is not sure.
bool DroneEnd::measures(const Suite & suite, Instant now) const
{
  return kem_sizes(suite.kem).public_key > ArrivalRate::long_train &&
         !peer_.paths().is_stream_rate_sure(now);
}

bool DroneEnd::measures(Instant now) const
{
  return std::ranges::any_of(fetches_, [&](const Fetch & fetch) {
    return fetch && !fetch->job() && measures(fetch->suite(), now);
  });
}

// A key that measures the link waits until the budget has made up for the one before.
bool DroneEnd::may_begin(const Suite & suite, Instant now) const
{
  return !debt_.any() || budget() == 0 || !measures(suite, now);
}

double DroneEnd::pace(Instant now) const
{
  const bool goes_on = peer_.background_pace() == 0;
  return is_urgent() || (measures(now) && (goes_on || !debt_.any())) ? 0 : budget();
}

void DroneEnd::count_debt(Instant now)
{
  const bool unpaced = peer_.background_pace() == 0 && !is_urgent() && measures(now);
  debt_.update(peer_.key_traffic().fetch, unpaced, budget(), now);
}

// Tells the ground station if fetches may take more or less than it knows.
void DroneEnd::keep_pace(Instant now)
{
  count_debt(now);
  const double told = peer_.background_pace();
  const double pace = this->pace(now);
  if (pace <= told * pace_tolerance && pace * pace_tolerance >= told) {
    return;
  }
  peer_.set_background_pace(pace, StreamLane::foreground, now);
  const auto fetch = std::ranges::find_if(
    fetches_, [this](const Fetch & one) { return one && !one->job() && speaks(*one); });
  if (fetch != fetches_.end()) {
    (*fetch)->renew(now);
    ask_for(*fetch, lane_of(static_cast<std::size_t>(fetch - fetches_.begin())), now);
  }
}

// --- What is known ---

std::vector<KemFetch> DroneEnd::fetches(Instant now) const
{
  if (peer_.keys().sending() == nullptr) {
    return {};
  }
  std::vector<KemFetch> costs = fetch_costs(
    shown_suites_, settings_.mode, peer_.paths().stream_link(), peer_.paths().stream_rate(),
    settings_.prefetch_airtime);
  for (KemFetch & cost : costs) {
    cost.ready = stock_.holds(*cost.suite, now);
    if (cost.fetch && measures(*cost.suite, now) && !peer_.paths().was_stream_rate_sure()) {
      const std::chrono::duration<double> unpaced = *cost.fetch * settings_.prefetch_airtime;
      cost.fetch = std::chrono::duration_cast<Duration>(unpaced) + debt_.lasts(budget());
    }
    for (std::size_t slot = 0; slot < fetches_.size(); ++slot) {
      const Fetch & fetch = fetches_[slot];
      if (fetch && PrekeyKind(fetch->suite()) == PrekeyKind(*cost.suite)) {
        const auto arriving = peer_.arriving(lane_of(slot));
        const double total = std::max<double>(arriving.total, 1);
        cost.progress = fetch->job() ? 1 : static_cast<double>(arriving.bytes) / total;
      }
    }
  }
  return costs;
}

}  // namespace pqc_tunnel
