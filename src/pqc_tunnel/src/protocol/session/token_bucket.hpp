// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__SESSION__TOKEN_BUCKET_HPP_
#define PQC_TUNNEL__PROTOCOL__SESSION__TOKEN_BUCKET_HPP_

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/time.hpp"

namespace pqc_tunnel
{

// Limits how often something may happen: `burst` times at once, and `per_s` times a second after that.
class TokenBucket
{
public:
  constexpr TokenBucket(double burst, double per_s) : burst_(burst), per_s_(per_s), tokens_(burst)
  {
  }

  // Takes a token if `left` others remain.
  bool take(Instant now, double left = 0)
  {
    const double elapsed = in_seconds(now - std::exchange(filled_, now));
    tokens_ = std::min(burst_, tokens_ + per_s_ * elapsed);
    if (tokens_ < 1 + left) {
      return false;
    }
    tokens_ -= 1;
    return true;
  }
  void fill() { tokens_ = burst_; }

private:
  double burst_;
  double per_s_;
  double tokens_;
  Instant filled_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__SESSION__TOKEN_BUCKET_HPP_
