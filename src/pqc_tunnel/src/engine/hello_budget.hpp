// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__ENGINE__HELLO_BUDGET_HPP_
#define PQC_TUNNEL__ENGINE__HELLO_BUDGET_HPP_

#include <algorithm>
#include <utility>

#include "pqc_tunnel/base/time.hpp"

namespace pqc_tunnel
{

// The share of the packet thread's time that hellos of strangers may take: a tenth, saved up for at most 20 ms.
class HelloBudget
{
public:
  explicit HelloBudget(Instant now) : filled_(now) {}

  bool allows(Instant now)
  {
    credit_ = std::min(most, credit_ + (now - std::exchange(filled_, now)) / 10);
    return credit_ > Duration{};
  }
  void spend(Duration duration) { credit_ -= duration; }

private:
  static constexpr Duration most = std::chrono::milliseconds(20);

  Instant filled_;
  Duration credit_ = most;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__HELLO_BUDGET_HPP_
