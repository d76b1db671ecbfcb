// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__COMMON__DICE_HPP_
#define PQC_TOOLS__COMMON__DICE_HPP_

#include <cstdint>

namespace pqc_tunnel
{

// A stream of random numbers that depends only on its seed, on every machine and with every compiler
// (SplitMix64; the distributions of <random> differ between libraries). Not for cryptography.
class Dice
{
public:
  // Streams of different `purpose` are independent of each other.
  Dice(std::uint64_t seed, std::uint64_t purpose) : state_(mix(seed ^ mix(purpose + increment))) {}

  std::uint64_t next()
  {
    state_ += increment;
    return mix(state_);
  }
  // Returns a number from 0 up to but excluding 1.
  double fraction() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  // Returns true with this probability. Always draws once, so that a changed probability shifts no later outcome.
  bool happens(double chance) { return fraction() < chance; }

private:
  static constexpr std::uint64_t increment = 0x9e3779b97f4a7c15;
  static std::uint64_t mix(std::uint64_t z)
  {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TOOLS__COMMON__DICE_HPP_
