// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CRYPTO__RANDOM_HPP_
#define PQC_TUNNEL__CRYPTO__RANDOM_HPP_

#include <array>
#include <concepts>
#include <cstdint>

#include "base/bytes.hpp"

namespace pqc_tunnel
{

/// A source of random bytes. It is always an argument, so that tests can repeat a run.
class RandomSource
{
public:
  virtual ~RandomSource() = default;
  /// Fills `out` with random bytes.
  virtual void fill(MutableBytes out) = 0;
};

/// The random generator of the kernel. Ends the process if the kernel fails, because no safe fallback exists.
/// Any thread.
class SystemRandom final : public RandomSource
{
public:
  void fill(MutableBytes out) override;
};

/// Draws a number. The same bytes give the same number on every machine.
template <std::unsigned_integral T>
T draw(RandomSource & random)
{
  std::array<std::uint8_t, sizeof(T)> bytes = {};
  random.fill(bytes);
  T value = 0;
  for (const std::uint8_t byte : bytes) {
    value = static_cast<T>(value << 8 | byte);
  }
  return value;
}

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CRYPTO__RANDOM_HPP_
