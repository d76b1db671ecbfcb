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

// The suites that a drone is likely to use after `active`: fresh keys for the same one, a step
// lighter, a step heavier, and the lightest of all. All of `allowed` and of the same cipher and
// signature family.
std::vector<const Suite *> likely_next(
  const Suite & active, std::span<const Suite * const> allowed);

// The KEM and signature of a hello. It serves every suite that has both, with any cipher.
struct HelloKind
{
  KemAlgorithm kem;
  SignatureAlgorithm signature;
  explicit HelloKind(const Suite & suite) : kem(suite.kem), signature(suite.signature) {}
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy takes the 0 inside <=> for a pointer
  friend auto operator<=>(const HelloKind &, const HelloKind &) = default;
};

// A ground station's store of single-use ephemeral keys with their signatures, made one after the
// other in the background, bounded in memory and age. Keys that were taken never return, even
// if their handshake fails. Keys are reserved for a drone that has announced a rekey.
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

  // Suites to have keys in stock for, most likely first.
  void want(std::span<const Suite * const> suites);

  // Reserves keys for the drone's next handshake with the suite, and releases those reserved for it
  // before. False if there are none.
  bool reserve(PeerIndex drone, const Suite & suite, Instant now);
  // The drone waits for keys; they are made before those that no drone waits for.
  void wait(const Waiter & waiter);
  bool is_waiting(PeerIndex drone) const;
  // Estimated time until the drone's keys are made, from the time that earlier keys of the kind
  // took. For an overdue operation the same time is estimated once more.
  Duration estimate(PeerIndex drone, Instant now) const;
  // The keys reserved for the drone, else free ones; nothing if there are none.
  std::optional<EphemeralKeys> take(PeerIndex drone, const Suite & suite, Instant now);

  // The suite to make keys for now; null if there is nothing to do or keys are being made. While a
  // drone that has reserved keys does its handshake, keys that no drone waits for are not made, so
  // that the handshake has the processor: for at most one second per drone and two seconds in all.
  const Suite * next_to_make(Instant now) const;
  void handle_handshake_ended(PeerIndex drone) { head_starts_.erase(drone); }
  void begin(const Suite & suite, Instant now);
  // The drone that the new keys are reserved for, if one waited for them.
  std::optional<Waiter> finish(EphemeralKeys keys, Instant now);
  // The drones that waited for these keys.
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
  // Which keys are discarded first when memory is short: the lowest claim.
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
  // Updates short_of_; called after every change of the stock or of the wanted suites.
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
  std::vector<const Suite *> short_of_;  // of those wanted; read for each packet
  std::vector<Stored> stored_;           // oldest first
  std::vector<Waiter> waiters_;
  std::optional<UnderWay> under_way_;
  std::map<HelloKind, Duration> durations_;
  std::map<HelloKind, Instant> not_before_;  // a failed kind is not retried at once
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
