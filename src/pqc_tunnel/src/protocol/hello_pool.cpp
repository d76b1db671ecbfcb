// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "hello_pool.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "pqc_tunnel/protocol/constants.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr Duration first_guess = std::chrono::milliseconds(250);
constexpr Duration head_start = std::chrono::seconds(1);
constexpr Duration longest_hold = std::chrono::seconds(2);

std::size_t size_of(const Suite & suite)
{
  const KemSizes & kem = kem_sizes(suite.kem);
  return kem.public_key + kem.secret_key + signature_sizes(suite.signature).signature_max;
}

}  // namespace

std::vector<const Suite *> likely_next(const Suite & active, std::span<const Suite * const> allowed)
{
  const Suite * lighter = nullptr;
  const Suite * heavier = nullptr;
  const Suite * lightest = nullptr;
  for (const Suite * suite : allowed) {
    if (suite->aead != active.aead || family(suite->signature) != family(active.signature)) {
      continue;
    }
    if (suite->tier < active.tier && (lighter == nullptr || suite->tier > lighter->tier)) {
      lighter = suite;
    }
    if (suite->tier > active.tier && (heavier == nullptr || suite->tier < heavier->tier)) {
      heavier = suite;
    }
    if (lightest == nullptr || suite->tier < lightest->tier) {
      lightest = suite;
    }
  }
  std::vector<const Suite *> likely{&active};
  for (const Suite * suite : {lighter, heavier, lightest}) {
    if (suite != nullptr) {
      likely.push_back(suite);
    }
  }
  return likely;
}

// --- Stock ---

void HelloPool::want(std::span<const Suite * const> suites)
{
  wanted_.clear();
  for (const Suite * suite : suites) {
    const auto same_kind = [suite](const Suite * other) {
      return HelloKind(*other) == HelloKind(*suite);
    };
    if (std::ranges::none_of(wanted_, same_kind)) {
      wanted_.push_back(suite);
    }
  }
  take_stock();
}

std::vector<HelloPool::Stored>::iterator HelloPool::find(
  const Suite & suite, std::optional<PeerIndex> kept_for, Instant now)
{
  return std::ranges::find_if(stored_, [&](const Stored & stored) {
    return HelloKind(*stored.keys.suite) == HelloKind(suite) && stored.kept_for == kept_for &&
           !is_expired(stored, now);
  });
}

bool HelloPool::reserve(PeerIndex drone, const Suite & suite, Instant now)
{
  if (find(suite, drone, now) != stored_.end()) {
    give_head_start(drone, now);
    return true;
  }
  for (Stored & stored : stored_) {
    if (stored.kept_for == drone) {
      stored.kept_for.reset();
    }
  }
  const auto found = find(suite, std::nullopt, now);
  if (found == stored_.end()) {
    take_stock();
    return false;
  }
  found->kept_for = drone;
  take_stock();
  give_head_start(drone, now);
  std::erase_if(waiters_, [drone](const Waiter & waiter) { return waiter.drone == drone; });
  return true;
}

std::optional<EphemeralKeys> HelloPool::take(PeerIndex drone, const Suite & suite, Instant now)
{
  head_starts_[drone] = now + head_start;  // that of its announcement may have ended long ago
  hold_back(now);
  auto found = find(suite, drone, now);
  if (found == stored_.end()) {
    found = find(suite, std::nullopt, now);
  }
  if (found == stored_.end()) {
    ++missed_;
    return std::nullopt;
  }
  ++taken_;
  std::optional<EphemeralKeys> keys(std::move(found->keys));
  stored_.erase(found);
  take_stock();
  return keys;
}

HelloPool::Claim HelloPool::claim_on(const Stored & stored) const
{
  if (stored.kept_for) {
    return Claim::kept;
  }
  const bool is_wanted = std::ranges::any_of(wanted_, [&](const Suite * suite) {
    return HelloKind(*suite) == HelloKind(*stored.keys.suite);
  });
  return is_wanted ? Claim::wanted : Claim::none;
}

std::size_t HelloPool::bytes(Claim least) const
{
  std::size_t sum = 0;
  for (const Stored & stored : stored_) {
    if (claim_on(stored) >= least) {
      sum += size_of(*stored.keys.suite);
    }
  }
  return sum;
}

// First keys that a drone waits for, then keys of wanted suites, then the rest.
void HelloPool::make_room()
{
  while (bytes(Claim::none) > settings_.max_bytes) {
    const auto least = std::ranges::min_element(
      stored_, {}, [this](const Stored & stored) { return claim_on(stored); });
    if (claim_on(*least) == Claim::kept) {
      return;
    }
    stored_.erase(least);
  }
}

// --- Making ---

void HelloPool::wait(const Waiter & waiter)
{
  const auto same = std::ranges::find(waiters_, waiter.drone, &Waiter::drone);
  if (same == waiters_.end()) {
    waiters_.push_back(waiter);
  } else {
    *same = waiter;
  }
}

bool HelloPool::is_waiting(PeerIndex drone) const
{
  return std::ranges::find(waiters_, drone, &Waiter::drone) != waiters_.end();
}

Duration HelloPool::usual(HelloKind kind) const
{
  const auto known = durations_.find(kind);
  return known == durations_.end() ? first_guess : known->second;
}

Duration HelloPool::estimate(PeerIndex drone, Instant now) const
{
  Duration rest{};
  if (under_way_) {
    const Duration whole = usual(under_way_->kind);
    const Duration elapsed = now - under_way_->started;
    rest = elapsed < whole ? whole - elapsed : elapsed;
  }
  bool spoken_for = false;  // the first drone that waits gets the keys being made
  for (const Waiter & waiter : waiters_) {
    const bool is_being_made =
      under_way_ && !spoken_for && HelloKind(*waiter.suite) == under_way_->kind;
    if (is_being_made) {
      spoken_for = true;
    } else {
      rest += usual(HelloKind(*waiter.suite));
    }
    if (waiter.drone == drone) {
      break;
    }
  }
  return rest;
}

// A further announcement does not renew it: announcements alone can't keep the pool from being filled.
void HelloPool::give_head_start(PeerIndex drone, Instant now)
{
  head_starts_.try_emplace(drone, now + head_start);
  hold_back(now);
}

void HelloPool::hold_back(Instant now)
{
  if (!held_back_since_) {
    held_back_since_ = now;
  }
}

Instant HelloPool::end_of_head_starts() const
{
  Instant end;
  for (const auto & [drone, until] : head_starts_) {
    end = std::max(end, until);
  }
  return held_back_since_ ? std::min(end, *held_back_since_ + longest_hold) : end;
}

void HelloPool::take_stock()
{
  const std::size_t spoken_for = bytes(Claim::wanted);
  short_of_.clear();
  std::ranges::copy_if(wanted_, std::back_inserter(short_of_), [&](const Suite * suite) {
    return count_free(*suite) < settings_.depth &&
           spoken_for + size_of(*suite) <= settings_.max_bytes;
  });
  if (short_of_.empty()) {
    held_back_since_.reset();
  }
}

std::size_t HelloPool::count_free(const Suite & suite) const
{
  return static_cast<std::size_t>(std::ranges::count_if(stored_, [&](const Stored & stored) {
    return !stored.kept_for && HelloKind(*stored.keys.suite) == HelloKind(suite);
  }));
}

Instant HelloPool::earliest(const Suite & suite) const
{
  const auto found = not_before_.find(HelloKind(suite));
  return found == not_before_.end() ? Instant() : found->second;
}

const Suite * HelloPool::next_to_make(Instant now) const
{
  if (under_way_) {
    return nullptr;
  }
  if (!waiters_.empty()) {
    return waiters_.front().suite;
  }
  if (now < end_of_head_starts()) {
    return nullptr;
  }
  const auto found =
    std::ranges::find_if(short_of_, [&](const Suite * suite) { return now >= earliest(*suite); });
  return found == short_of_.end() ? nullptr : *found;
}

void HelloPool::begin(const Suite & suite, Instant now)
{
  under_way_ = UnderWay{HelloKind(suite), now};
  held_back_since_.reset();
}

std::optional<HelloPool::Waiter> HelloPool::finish(EphemeralKeys keys, Instant now)
{
  const HelloKind kind = under_way_->kind;
  durations_[kind] = now - under_way_->started;
  not_before_.erase(kind);
  under_way_.reset();
  ++made_;
  Stored & stored = stored_.emplace_back(Stored{std::move(keys), now, std::nullopt});
  std::optional<Waiter> served;
  const auto waiter = std::ranges::find_if(
    waiters_, [kind](const Waiter & candidate) { return HelloKind(*candidate.suite) == kind; });
  if (waiter != waiters_.end()) {
    served = *waiter;
    stored.kept_for = waiter->drone;
    give_head_start(waiter->drone, now);
    waiters_.erase(waiter);
  }
  make_room();
  take_stock();
  return served;
}

std::vector<HelloPool::Waiter> HelloPool::fail(Instant now)
{
  const HelloKind kind = under_way_->kind;
  under_way_.reset();
  not_before_[kind] = now + refill_retry;
  std::vector<Waiter> in_vain;
  std::erase_if(waiters_, [&](const Waiter & waiter) {
    const bool concerned = HelloKind(*waiter.suite) == kind;
    if (concerned) {
      in_vain.push_back(waiter);
    }
    return concerned;
  });
  return in_vain;
}

// --- Time ---

void HelloPool::handle_timeout(Instant now)
{
  const auto expired =
    std::erase_if(stored_, [&](const Stored & stored) { return is_expired(stored, now); });
  if (expired > 0) {
    expired_ += expired;
    take_stock();
  }
}

Instant HelloPool::next_timeout() const
{
  Instant next = Instant::max();
  if (!stored_.empty()) {
    next = stored_.front().made + settings_.max_age;
  }
  if (under_way_) {
    return next;
  }
  if (!waiters_.empty()) {
    return Instant();
  }
  const Instant free = end_of_head_starts();
  for (const Suite * suite : short_of_) {
    next = std::min(next, std::max(free, earliest(*suite)));
  }
  return next;
}

HelloPoolStatus HelloPool::status() const
{
  HelloPoolStatus status;
  status.stored = stored_.size();
  status.wanted = wanted_.size() * settings_.depth;
  status.bytes = bytes(Claim::none);
  status.making = under_way_.has_value();
  status.made = made_;
  status.taken = taken_;
  status.missed = missed_;
  status.expired = expired_;
  return status;
}

}  // namespace pqc_tunnel
