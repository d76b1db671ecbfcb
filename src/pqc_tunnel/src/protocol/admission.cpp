// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "admission.hpp"

#include <algorithm>

namespace pqc_tunnel
{

namespace
{

using namespace std::chrono_literals;

constexpr Duration refusal_slot_length = 100ms;

std::uint64_t mix(std::uint64_t x)
{
  x = (x ^ (x >> 32)) * 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 29)) * 0xd6e8feb86659fd93U;
  return x ^ (x >> 32);
}

std::int64_t tick_of(Instant now) { return now.time_since_epoch() / refusal_slot_length; }

template <class Iterator>
std::uint64_t big_endian(Iterator first, std::size_t count)
{
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8 | *first++;
  return value;
}

}  // namespace

Admission::Admission(const AdmissionLimits & limits, std::uint64_t hash_key)
: limits_(limits),
  hash_key_(hash_key),
  sets_(std::max<std::size_t>(1, (limits.table + ways - 1) / ways))
{
  limits_.burst = std::max(1.0, limits.burst);
  overflow_.tokens = limits_.burst;
  open_.reserve(limits.max_connections);
}

Admission::Key Admission::key_of(const Endpoint & from)
{
  const auto & address = from.address;
  if (from.family == AddressFamily::ipv4) {
    return {AddressFamily::ipv4, 0, big_endian(address.begin(), 4)};
  }
  // ::ffff:a.b.c.d: on a dual-stack socket all of IPv4 would otherwise be one /64.
  if (big_endian(address.begin(), 8) == 0 && big_endian(address.begin() + 8, 4) == 0xffff) {
    return {AddressFamily::ipv4, 0, big_endian(address.begin() + 12, 4)};
  }
  return {from.family, from.scope, big_endian(address.begin(), 8)};
}

void Admission::refill(Bucket & bucket, Instant now) const
{
  const std::chrono::duration<double> elapsed = std::max(now - bucket.touched, Duration::zero());
  bucket.tokens = std::min(limits_.burst, bucket.tokens + elapsed.count() * limits_.rate_per_s);
  bucket.touched = std::max(bucket.touched, now);
}

Admission::Bucket & Admission::bucket_of(const Key & key, Instant now)
{
  const auto tag = static_cast<std::uint64_t>(key.family) << 32 | key.scope;
  const auto hash = mix(mix(key.prefix ^ hash_key_) + tag + hash_key_);
  auto & set = sets_[static_cast<std::size_t>(hash % sets_.size())];

  for (auto & bucket : set) {
    if (bucket.used && bucket.key == key) return bucket;
  }
  auto & victim = *std::min_element(set.begin(), set.end(), [](const Bucket & a, const Bucket & b) {
    return a.used != b.used ? !a.used : a.touched < b.touched;
  });
  if (victim.used) {
    auto refilled = victim;
    refill(refilled, now);
    if (refilled.tokens < limits_.burst) return overflow_;
  }
  victim = Bucket{key, true, limits_.burst, now};
  return victim;
}

bool Admission::refuse(std::uint64_t & counter, Instant now)
{
  ++counter;
  const auto tick = tick_of(now);
  auto & slot = refusals_[static_cast<std::size_t>(tick) % refusal_slots];
  if (slot.tick != tick) slot = {tick, 0};
  ++slot.count;
  return false;
}

bool Admission::try_admit(const Endpoint & from, Instant now)
{
  const auto key = key_of(from);
  if (open_.size() >= limits_.max_connections) return refuse(counters_.refused_total, now);

  const auto held = std::count(open_.begin(), open_.end(), key);
  if (static_cast<std::size_t>(held) >= limits_.max_per_address) {
    return refuse(counters_.refused_per_address, now);
  }

  auto & bucket = bucket_of(key, now);
  refill(bucket, now);
  if (bucket.tokens < 1) return refuse(counters_.refused_rate, now);

  bucket.tokens -= 1;
  open_.push_back(key);
  ++counters_.admitted;
  return true;
}

void Admission::release(const Endpoint & from)
{
  const auto found = std::find(open_.begin(), open_.end(), key_of(from));
  if (found == open_.end()) return;
  *found = open_.back();
  open_.pop_back();
}

bool Admission::under_load(Instant now) const
{
  if (2 * open_.size() > limits_.max_connections) return true;
  const auto tick = tick_of(now);
  std::uint64_t recent = 0;
  for (const auto & slot : refusals_) {
    if (slot.tick <= tick && tick - slot.tick < static_cast<std::int64_t>(refusal_slots)) {
      recent += slot.count;
    }
  }
  return recent > 0 && static_cast<double>(recent) >= limits_.rate_per_s;
}

}  // namespace pqc_tunnel
