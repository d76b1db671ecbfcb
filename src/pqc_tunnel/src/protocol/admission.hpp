// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__ADMISSION_HPP_
#define PQC_TUNNEL__PROTOCOL__ADMISSION_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pqc_tunnel/base/endpoint.hpp"
#include "pqc_tunnel/base/time.hpp"

namespace pqc_tunnel
{

struct AdmissionLimits
{
  std::size_t max_connections = 16;
  std::size_t max_per_address = 2;
  double rate_per_s = 20;    // connections per second from one address, after its burst
  double burst = 5;          // at least 1
  std::size_t table = 4096;  // addresses remembered, rounded up to a multiple of 8
};

// Each attempt is counted once, under the first rule that refuses it, in this order.
struct AdmissionCounters
{
  std::uint64_t admitted = 0;
  std::uint64_t refused_total = 0;        // all connections were in use
  std::uint64_t refused_per_address = 0;  // the address already had its share of connections
  std::uint64_t refused_rate = 0;         // the address connected too often
};

// Decides who may hold a TCP connection before anything is authenticated. An address is an IPv4
// address (also one mapped into IPv6) or an IPv6 /64; the port doesn't count. Memory and work per
// call are bounded.
//
// Each address has a token bucket. Buckets live in sets of eight found by a keyed hash; a newcomer
// takes the place of the least recently used bucket of its set only if that one has refilled, so
// that no address regains tokens by being evicted. Newcomers without a place share one bucket.
class Admission
{
public:
  // hash_key should be random, so that strangers can't aim at the set of a known address.
  explicit Admission(const AdmissionLimits & limits = {}, std::uint64_t hash_key = 0);

  // True: the caller may keep the connection and must release it once.
  bool try_admit(const Endpoint & from, Instant now);

  // Releases one connection of that address; does nothing if it has none.
  void release(const Endpoint & from);

  // More than half of the connections are taken, or at least rate_per_s attempts were refused
  // in the last second.
  bool under_load(Instant now) const;

  std::size_t open() const { return open_.size(); }
  const AdmissionCounters & counters() const { return counters_; }

private:
  struct Key
  {
    AddressFamily family = AddressFamily::none;
    std::uint32_t scope = 0;
    std::uint64_t prefix = 0;

    friend bool operator==(const Key &, const Key &) = default;
  };

  struct Bucket
  {
    Key key;
    bool used = false;
    double tokens = 0;
    Instant touched;
  };

  struct RefusalSlot
  {
    std::int64_t tick = -1;
    std::uint64_t count = 0;
  };

  static constexpr std::size_t ways = 8;
  static constexpr std::size_t refusal_slots = 10;

  static Key key_of(const Endpoint & from);
  Bucket & bucket_of(const Key & key, Instant now);
  void refill(Bucket & bucket, Instant now) const;
  bool refuse(std::uint64_t & counter, Instant now);

  AdmissionLimits limits_;
  std::uint64_t hash_key_;
  std::vector<std::array<Bucket, ways>> sets_;
  Bucket overflow_;
  std::vector<Key> open_;  // one entry per connection
  std::array<RefusalSlot, refusal_slots> refusals_;
  AdmissionCounters counters_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__ADMISSION_HPP_
