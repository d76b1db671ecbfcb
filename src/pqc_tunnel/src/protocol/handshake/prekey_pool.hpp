// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__HANDSHAKE__PREKEY_POOL_HPP_
#define PQC_TUNNEL__PROTOCOL__HANDSHAKE__PREKEY_POOL_HPP_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "crypto/suites/suite.hpp"
#include "handshake_crypto.hpp"
#include "protocol/session/settings.hpp"
#include "protocol/session/snapshot.hpp"

namespace pqc_tunnel
{

// The suites that a drone is likely to use after `active`: fresh keys for the same one, a step
// lighter, a step heavier, and the lightest of all. All of `allowed` and of the same cipher and
// signature family.
std::vector<const Suite *> likely_next(
  const Suite & active, std::span<const Suite * const> allowed);

// Bytes of the keys and the signature of a prekey.
std::size_t prekey_bytes(const Suite & suite);

// A ground station's stock of single-use ephemeral keys, made one after the other in the background, bounded in memory
// and age. Keys that were taken never return.
class PrekeyPool
{
public:
  explicit PrekeyPool(const PrekeyPoolSettings & settings) : settings_(settings) {}

  // Suites to have keys in stock for, most likely first.
  void want(std::span<const Suite * const> suites);
  // Nothing if there are none.
  std::optional<PrekeyPair> take(const Suite & suite, Instant now);
  // Returns how long keys of this kind took to make.
  Duration estimate(const Suite & suite) const;
  void note_duration(const Suite & suite, Duration keygen_and_sign);

  // A key exchange needs the processor: nothing is made ahead for a moment, two seconds in all.
  void hold_back(Instant now);
  // The suite to make keys for now; null if there is nothing to do or keys are being made.
  const Suite * next_to_make(Instant now) const;
  void begin(const Suite & suite);
  void finish(PrekeyPair keys, Instant now);
  void fail(Instant now);
  // Drops the keys that are signed already.
  void drop_signed();

  void handle_timeout(Instant now);
  Instant next_timeout() const;

  PrekeyPoolStatus status() const;

private:
  struct Stored
  {
    PrekeyPair keys;
    Instant made;
  };

  bool is_expired(const Stored & stored, Instant now) const
  {
    return now >= stored.made + settings_.max_age;
  }
  bool is_wanted(const Stored & stored) const;
  std::size_t bytes() const;
  std::size_t wanted_bytes() const;
  // Updates short_of_; called after every change of the stock or of the wanted suites.
  void take_stock();
  void make_room();
  Instant earliest(const Suite & suite) const;

  PrekeyPoolSettings settings_;
  std::vector<const Suite *> wanted_;
  std::vector<const Suite *> short_of_;  // of those wanted; read for each packet
  std::vector<Stored> stored_;           // oldest first
  const Suite * under_way_ = nullptr;    // keys are being made for it
  std::map<PrekeyKind, Duration> durations_;
  std::map<PrekeyKind, Instant> not_before_;  // a failed kind is not retried at once
  std::optional<Instant> held_back_since_;
  Instant held_back_until_;
  std::uint64_t made_ = 0;
  std::uint64_t taken_ = 0;
  std::uint64_t missed_ = 0;
  std::uint64_t expired_ = 0;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__HANDSHAKE__PREKEY_POOL_HPP_
