// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/deterministic_random.hpp"

#include "crypto/hkdf.hpp"

namespace pqc_tunnel::test
{

void DeterministicRandom::fill(MutableBytes out)
{
  for (auto & byte : out) {
    if (used_ == block_.size()) {
      std::array<std::uint8_t, 16> input;
      for (std::size_t i = 0; i < 8; ++i) {
        input[i] = static_cast<std::uint8_t>(seed_ >> (8 * i));
        input[8 + i] = static_cast<std::uint8_t>(counter_ >> (8 * i));
      }
      block_ = sha512(input);
      ++counter_;
      used_ = 0;
    }
    byte = block_[used_++];
  }
}

}  // namespace pqc_tunnel::test
