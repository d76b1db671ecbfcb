// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__KNOWN_ANSWERS__GIVEN_RANDOM_HPP_
#define SUPPORT__KNOWN_ANSWERS__GIVEN_RANDOM_HPP_

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "crypto/random.hpp"

namespace pqc_tunnel::test
{

// Hands out exactly the bytes given, as known-answer tests prescribe them. Asking for more is a
// failure of the test.
class GivenRandom final : public RandomSource
{
public:
  explicit GivenRandom(Bytes bytes) : bytes_(std::move(bytes)) {}

  void fill(MutableBytes out) override
  {
    if (out.size() > remaining()) {
      throw std::out_of_range("the test gave too few random bytes");
    }
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(used_), out.size(), out.begin());
    used_ += out.size();
  }

  std::size_t remaining() const { return bytes_.size() - used_; }

private:
  Bytes bytes_;
  std::size_t used_ = 0;
};

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__KNOWN_ANSWERS__GIVEN_RANDOM_HPP_
