// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__PEER__EVENT_BUDGET_HPP_
#define PQC_TUNNEL__PROTOCOL__PEER__EVENT_BUDGET_HPP_

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/time.hpp"

namespace pqc_tunnel
{

// Limits events that others can cause at any rate: a few at once, then one every 10 s, which says how many were
// omitted.
class EventBudget
{
public:
  static constexpr unsigned burst = 5;
  static constexpr Duration each = std::chrono::seconds(10);

  // Returns what to add to the text of the event; none: the event is only counted.
  std::optional<std::string> take(Instant now)
  {
    if (full_at_ > now + (burst - 1) * each) {
      ++left_out_;
      return std::nullopt;
    }
    full_at_ = std::max(full_at_, now) + each;
    std::string more;
    if (left_out_ > 0) {
      more = " (and " + std::to_string(left_out_) + " before it)";
      left_out_ = 0;
    }
    return more;
  }

private:
  Instant full_at_;  // when the whole budget is available again
  std::uint64_t left_out_ = 0;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__PEER__EVENT_BUDGET_HPP_
