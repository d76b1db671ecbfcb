// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__LINK__PATHS__BYTE_BUDGET_HPP_
#define PQC_TUNNEL__LINK__PATHS__BYTE_BUDGET_HPP_

#include <algorithm>
#include <cstddef>

#include "base/time.hpp"

namespace pqc_tunnel
{

// Grants `rate` bytes per second and saves up to `most` bytes. A less important use leaves a share of that to others.
class ByteBudget
{
public:
  ByteBudget(double rate, double most) : rate_(rate), most_(most), credit_(most) {}

  void set_rate(double rate) { rate_ = rate; }
  bool allows(std::size_t bytes, double share_left, Instant now) const
  {
    return credit(now) >= static_cast<double>(bytes) + share_left * most_;
  }
  void spend(std::size_t bytes, Instant now)
  {
    credit_ = credit(now) - static_cast<double>(bytes);
    filled_ = std::max(filled_, now);
  }
  // Returns the moment from which allows(bytes, 0, …) is true.
  Instant ready(std::size_t bytes) const
  {
    const std::chrono::duration<double> wait((static_cast<double>(bytes) - credit_) / rate_);
    return filled_ + std::max(Duration{}, std::chrono::ceil<Duration>(wait));
  }

private:
  double credit(Instant now) const
  {
    const Duration elapsed = std::max(Duration{}, now - filled_);
    return std::min(most_, credit_ + rate_ * in_seconds(elapsed));
  }

  double rate_;
  double most_;
  double credit_;
  Instant filled_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__PATHS__BYTE_BUDGET_HPP_
