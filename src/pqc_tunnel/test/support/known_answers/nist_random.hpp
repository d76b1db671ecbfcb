// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__KNOWN_ANSWERS__NIST_RANDOM_HPP_
#define SUPPORT__KNOWN_ANSWERS__NIST_RANDOM_HPP_

#include <array>
#include <cstddef>
#include <cstdint>

#include "crypto/random.hpp"

namespace pqc_tunnel::test
{

// The generators which the submitters' known-answer programs draw from. Both are seeded with 48
// bytes.

// CTR_DRBG of SP 800-90A with AES-256, no derivation function.
class NistDrbg final : public RandomSource
{
public:
  explicit NistDrbg(ByteView seed);
  void fill(MutableBytes out) override;

private:
  std::array<std::uint8_t, 16> next_block();
  void update(ByteView provided);

  std::array<std::uint8_t, 32> key_ = {};
  std::array<std::uint8_t, 16> counter_ = {};
};

// HQC's: SHAKE256 of seed ‖ domain, read as one long stream.
class HqcPrng final : public RandomSource
{
public:
  HqcPrng(ByteView seed, std::uint8_t domain);
  void fill(MutableBytes out) override;

private:
  Bytes seed_;
  Bytes stream_;
  std::size_t used_ = 0;
};

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__KNOWN_ANSWERS__NIST_RANDOM_HPP_
