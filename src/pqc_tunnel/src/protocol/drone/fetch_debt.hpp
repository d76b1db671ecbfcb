// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__DRONE__FETCH_DEBT_HPP_
#define PQC_TUNNEL__PROTOCOL__DRONE__FETCH_DEBT_HPP_

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/time.hpp"

namespace pqc_tunnel
{

// What fetches without a pace took of the link beyond their budget. Whatever else they take meanwhile, the budget of later
// time makes up for it.
class FetchDebt
{
public:
  // `bytes`: of all fetches so far. `unpaced`: those since the last call came without a pace. `budget`: bytes per second.
  void update(std::uint64_t bytes, bool unpaced, double budget, Instant now)
  {
    const auto taken = static_cast<double>(bytes - std::exchange(bytes_, bytes));
    const double passed = in_seconds(now - std::exchange(at_, now));
    if (unpaced || debt_ > 0) {
      debt_ = std::max(0.0, debt_ + taken - budget * passed);
    }
  }
  bool any() const { return debt_ > 0; }
  // Returns how long it takes to make up for it.
  Duration lasts(double budget) const { return from_seconds(debt_ / budget); }

private:
  std::uint64_t bytes_ = 0;
  double debt_ = 0;  // bytes
  Instant at_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__DRONE__FETCH_DEBT_HPP_
