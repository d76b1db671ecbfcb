// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__DETERMINISTIC_RANDOM_HPP_
#define SUPPORT__DETERMINISTIC_RANDOM_HPP_

#include <array>
#include <cstddef>
#include <cstdint>

#include "crypto/random.hpp"

namespace pqc_tunnel::test
{

// The same bytes for the same seed, drawn in pieces of any size: SHA-512 in counter mode.
class DeterministicRandom final : public RandomSource
{
public:
  explicit DeterministicRandom(std::uint64_t seed) : seed_(seed) {}
  void fill(MutableBytes out) override;

private:
  std::uint64_t seed_;
  std::uint64_t counter_ = 0;
  std::array<std::uint8_t, 64> block_ = {};
  std::size_t used_ = 64;
};

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__DETERMINISTIC_RANDOM_HPP_
