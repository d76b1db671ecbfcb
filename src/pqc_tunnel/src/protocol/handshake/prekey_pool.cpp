// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "prekey_pool.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "protocol/wire/constants.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr Duration first_guess = std::chrono::milliseconds(250);
constexpr Duration pause = std::chrono::milliseconds(500);
constexpr Duration longest_pause = std::chrono::seconds(2);

bool same_kind(const Suite & a, const Suite & b) { return PrekeyKind(a) == PrekeyKind(b); }

}  // namespace

std::size_t prekey_bytes(const Suite & suite)
{
  const KemSizes & kem = kem_sizes(suite.kem);
  return kem.public_key + kem.secret_key + signature_sizes(suite.signature).signature_max;
}

std::vector<const Suite *> likely_next(const Suite & active, std::span<const Suite * const> allowed)
{
  const Suite * lighter = nullptr;
  const Suite * heavier = nullptr;
  const Suite * lightest = nullptr;
  for (const Suite * suite : allowed) {
    if (
      suite->aead != active.aead || family(suite->signature) != family(active.signature) ||
      !registry().availability(*suite).available)
    {
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

void PrekeyPool::want(std::span<const Suite * const> suites)
{
  wanted_.clear();
  for (const Suite * suite : suites) {
    if (std::ranges::none_of(
          wanted_, [suite](const Suite * other) { return same_kind(*other, *suite); }))
    {
      wanted_.push_back(suite);
    }
  }
  take_stock();
}

std::optional<PrekeyPair> PrekeyPool::take(const Suite & suite, Instant now)
{
  hold_back(now);
  const auto found = std::ranges::find_if(stored_, [&](const Stored & stored) {
    return same_kind(*stored.keys.suite, suite) && !is_expired(stored, now);
  });
  if (found == stored_.end()) {
    ++missed_;
    return std::nullopt;
  }
  ++taken_;
  std::optional<PrekeyPair> keys(std::move(found->keys));
  stored_.erase(found);
  take_stock();
  return keys;
}

bool PrekeyPool::is_wanted(const Stored & stored) const
{
  return std::ranges::any_of(
    wanted_, [&](const Suite * suite) { return same_kind(*suite, *stored.keys.suite); });
}

std::size_t PrekeyPool::bytes() const
{
  std::size_t sum = 0;
  for (const Stored & stored : stored_) {
    sum += prekey_bytes(*stored.keys.suite);
  }
  return sum;
}

std::size_t PrekeyPool::wanted_bytes() const
{
  std::size_t sum = 0;
  for (const Stored & stored : stored_) {
    sum += is_wanted(stored) ? prekey_bytes(*stored.keys.suite) : 0;
  }
  return sum;
}

// First goes what nobody wants any more.
void PrekeyPool::make_room()
{
  while (bytes() > settings_.max_bytes) {
    stored_.erase(std::ranges::min_element(
      stored_, {}, [this](const Stored & stored) { return is_wanted(stored); }));
  }
}

void PrekeyPool::take_stock()
{
  const std::size_t used = wanted_bytes();
  short_of_.clear();
  std::ranges::copy_if(wanted_, std::back_inserter(short_of_), [&](const Suite * suite) {
    const bool in_stock = std::ranges::any_of(
      stored_, [&](const Stored & stored) { return same_kind(*stored.keys.suite, *suite); });
    return !in_stock && used + prekey_bytes(*suite) <= settings_.max_bytes;
  });
}

// --- Making ---

Duration PrekeyPool::estimate(const Suite & suite) const
{
  const auto known = durations_.find(PrekeyKind(suite));
  return known == durations_.end() ? first_guess : known->second;
}

void PrekeyPool::note_duration(const Suite & suite, Duration keygen_and_sign)
{
  durations_[PrekeyKind(suite)] = keygen_and_sign;
}

void PrekeyPool::hold_back(Instant now)
{
  if (!held_back_since_ || short_of_.empty()) {
    held_back_since_ = now;
  }
  held_back_until_ = std::min(now + pause, *held_back_since_ + longest_pause);
}

Instant PrekeyPool::earliest(const Suite & suite) const
{
  const auto found = not_before_.find(PrekeyKind(suite));
  return found == not_before_.end() ? Instant() : found->second;
}

const Suite * PrekeyPool::next_to_make(Instant now) const
{
  if (under_way_ != nullptr || now < held_back_until_) {
    return nullptr;
  }
  const auto found =
    std::ranges::find_if(short_of_, [&](const Suite * suite) { return now >= earliest(*suite); });
  return found == short_of_.end() ? nullptr : *found;
}

void PrekeyPool::begin(const Suite & suite)
{
  under_way_ = &suite;
  held_back_since_.reset();
}

void PrekeyPool::finish(PrekeyPair keys, Instant now)
{
  note_duration(*keys.suite, keys.keygen + keys.sign);
  not_before_.erase(PrekeyKind(*std::exchange(under_way_, nullptr)));
  ++made_;
  stored_.push_back({std::move(keys), now});
  make_room();
  take_stock();
}

void PrekeyPool::drop_signed()
{
  std::erase_if(stored_, [](const Stored & stored) { return !stored.keys.signature.empty(); });
  take_stock();
}

void PrekeyPool::fail(Instant now)
{
  not_before_[PrekeyKind(*std::exchange(under_way_, nullptr))] = now + refill_retry;
}

// --- Time ---

void PrekeyPool::handle_timeout(Instant now)
{
  const auto expired =
    std::erase_if(stored_, [&](const Stored & stored) { return is_expired(stored, now); });
  if (expired > 0) {
    expired_ += expired;
    take_stock();
  }
}

Instant PrekeyPool::next_timeout() const
{
  Instant next = stored_.empty() ? Instant::max() : stored_.front().made + settings_.max_age;
  if (under_way_ != nullptr) {
    return next;
  }
  for (const Suite * suite : short_of_) {
    next = std::min(next, std::max(held_back_until_, earliest(*suite)));
  }
  return next;
}

PrekeyPoolStatus PrekeyPool::status() const
{
  PrekeyPoolStatus status;
  status.stored = stored_.size();
  status.wanted = wanted_.size();
  status.bytes = bytes();
  status.bytes_under_way = under_way_ == nullptr ? 0 : prekey_bytes(*under_way_);
  status.making = under_way_ != nullptr;
  status.made = made_;
  status.taken = taken_;
  status.missed = missed_;
  status.expired = expired_;
  return status;
}

}  // namespace pqc_tunnel
