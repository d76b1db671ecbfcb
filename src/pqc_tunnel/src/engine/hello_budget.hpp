// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__ENGINE__HELLO_BUDGET_HPP_
#define PQC_TUNNEL__ENGINE__HELLO_BUDGET_HPP_

#include <algorithm>
#include <utility>

#include "pqc_tunnel/base/time.hpp"

namespace pqc_tunnel
{

// The share of the packet thread's time that hellos may take: a tenth, saved up for at most 20 ms. Half of what is saved is
// for those from the addresses of live peers.
class HelloBudget
{
public:
  explicit HelloBudget(Instant now) : filled_(now) {}

  bool allows(Instant now, bool is_live)
  {
    credit_ = std::min(most, credit_ + (now - std::exchange(filled_, now)) / 10);
    return credit_ > (is_live ? Duration{} : most / 2);
  }
  // What one hello took. A thread that had to wait for a processor meanwhile is not to blame on it.
  void spend(Duration duration) { credit_ -= std::min(duration, most_of_one); }

private:
  static constexpr Duration most = std::chrono::milliseconds(20);
  static constexpr Duration most_of_one = std::chrono::microseconds(50);

  Instant filled_;
  Duration credit_ = most;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__HELLO_BUDGET_HPP_
