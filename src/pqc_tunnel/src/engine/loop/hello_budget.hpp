// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__ENGINE__LOOP__HELLO_BUDGET_HPP_
#define PQC_TUNNEL__ENGINE__LOOP__HELLO_BUDGET_HPP_

#include <algorithm>
#include <array>
#include <utility>

#include "base/time.hpp"

namespace pqc_tunnel
{

// Limits the packet thread's time for hellos: a twentieth for those from the addresses of live peers and a twentieth
// for all others, each saved up to 10 ms. A group may also use what the other leaves, so a flood in one never takes the
// other's share.
class HelloBudget
{
public:
  explicit HelloBudget(Instant now) : filled_(now) {}

  bool allows(Instant now, bool is_live)
  {
    fill(now);
    return credits_[is_live ? 1 : 0] > Duration{};
  }
  // Charges the time of one hello, limited in case the thread had to wait for a processor meanwhile.
  void spend(bool is_live, Duration duration)
  {
    credits_[is_live ? 1 : 0] -= std::min(duration, most_of_one);
  }

private:
  static constexpr Duration most = std::chrono::milliseconds(10);
  static constexpr Duration most_of_one = std::chrono::microseconds(50);

  void fill(Instant now)
  {
    const Duration share = (now - std::exchange(filled_, now)) / 20;
    Duration left{};
    for (Duration & credit : credits_) {
      left += std::max(credit + share - most, Duration{});
      credit = std::min(credit + share, most);
    }
    for (Duration & credit : credits_) {
      credit = std::min(credit + left, most);
    }
  }

  Instant filled_;
  std::array<Duration, 2> credits_ = {most, most};
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__LOOP__HELLO_BUDGET_HPP_
