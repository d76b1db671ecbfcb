// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__HELLO_POOL_HPP_
#define PQC_TUNNEL__PROTOCOL__HELLO_POOL_HPP_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "handshake_crypto.hpp"
#include "pqc_tunnel/base/ids.hpp"
#include "pqc_tunnel/base/time.hpp"
#include "pqc_tunnel/crypto/suite.hpp"
#include "settings.hpp"
#include "snapshot.hpp"

namespace pqc_tunnel
{

// The suites that a drone is likely to ask for after `active`: fresh keys for the same one, a step
// lighter, a step heavier, and the lightest of all. All of `allowed` and of the same cipher and
// signature family.
std::vector<const Suite *> likely_next(
  const Suite & active, std::span<const Suite * const> allowed);

// What hellos are made for: they serve every suite of their KEM and signature, whatever its cipher.
struct HelloKind
{
  KemAlgorithm kem;
  SignatureAlgorithm signature;
  explicit HelloKind(const Suite & suite) : kem(suite.kem), signature(suite.signature) {}
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy takes the 0 inside <=> for a pointer
  friend auto operator<=>(const HelloKind &, const HelloKind &) = default;
};

// A ground station's store of single-use ephemeral keys with their signatures, made one after the
// other in the background, bounded in memory and age. What is taken is gone, whatever becomes of
// it. A drone that has announced a rekey gets one reserved, so that nobody takes it meanwhile.
class HelloPool
{
public:
  // A drone whose PREPARE is to be answered.
  struct Waiter
  {
    PeerIndex drone;
    const Suite * suite;
    std::uint32_t transaction;
  };

  explicit HelloPool(const HelloPoolSettings & settings) : settings_(settings) {}

  // What is worth having in stock, most likely first.
  void want(std::span<const Suite * const> suites);

  // True if the drone's next handshake with the suite will find keys: they are kept for it, and
  // what was kept for it before is free again.
  bool reserve(PeerIndex drone, const Suite & suite, Instant now);
  // Keys are made for the drone before those that nobody waits for.
  void wait(const Waiter & waiter);
  bool is_waiting(PeerIndex drone) const;
  // How long it will take until the drone's keys are made, from how long the like of them took; one
  // that is overdue is taken to need as long again.
  Duration estimate(PeerIndex drone, Instant now) const;
  // Those kept for the drone, else free ones; nothing if there are none.
  std::optional<EphemeralKeys> take(PeerIndex drone, const Suite & suite, Instant now);

  // What to make now; null if there is nothing to do or something is being made. A drone that was
  // promised keys, or shakes hands, gets the processors to itself: what nobody waits for is made when
  // its handshake has ended, or a second later. However many do so, it waits for two seconds at most.
  const Suite * next_to_make(Instant now) const;
  void handle_handshake_ended(PeerIndex drone) { head_starts_.erase(drone); }
  void begin(const Suite & suite, Instant now);
  // Who has got the keys, if somebody waited for them.
  std::optional<Waiter> finish(EphemeralKeys keys, Instant now);
  // Who waited for them in vain.
  std::vector<Waiter> fail(Instant now);

  void handle_timeout(Instant now);
  Instant next_timeout() const;

  HelloPoolStatus status() const;

private:
  struct Stored
  {
    EphemeralKeys keys;
    Instant made;
    std::optional<PeerIndex> kept_for;
  };
  // Whose keys are in stock, in the order in which others give way to them.
  enum class Claim
  {
    none,
    wanted,
    kept,
  };
  struct UnderWay
  {
    HelloKind kind;
    Instant started;
  };

  void give_head_start(PeerIndex drone, Instant now);
  void hold_back(Instant now);
  Instant end_of_head_starts() const;
  // Renews short_of_; whatever changes the stock or the wishes ends with it.
  void take_stock();
  std::size_t count_free(const Suite & suite) const;  // of keys that serve it
  bool is_expired(const Stored & stored, Instant now) const
  {
    return now >= stored.made + settings_.max_age;
  }
  std::vector<Stored>::iterator find(
    const Suite & suite, std::optional<PeerIndex> kept_for, Instant now);
  Instant earliest(const Suite & suite) const;
  Duration usual(HelloKind kind) const;
  Claim claim_on(const Stored & stored) const;
  std::size_t bytes(Claim least) const;  // of keys with at least that claim
  void make_room();

  HelloPoolSettings settings_;
  std::vector<const Suite *> wanted_;
  std::vector<const Suite *> short_of_;  // of those wanted; asked for with each packet
  std::vector<Stored> stored_;           // oldest first
  std::vector<Waiter> waiters_;
  std::optional<UnderWay> under_way_;
  std::map<HelloKind, Duration> durations_;
  std::map<HelloKind, Instant> not_before_;  // what failed is not tried again at once
  std::map<PeerIndex, Instant>
    head_starts_;                           // until when, of those whose handshakes have not ended
  std::optional<Instant> held_back_since_;  // what the pool is short of
  std::uint64_t made_ = 0;
  std::uint64_t taken_ = 0;
  std::uint64_t missed_ = 0;
  std::uint64_t expired_ = 0;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__HELLO_POOL_HPP_
