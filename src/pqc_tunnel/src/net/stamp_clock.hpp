// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NET__STAMP_CLOCK_HPP_
#define PQC_TUNNEL__NET__STAMP_CLOCK_HPP_

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/time.hpp"

namespace pqc_tunnel
{

/// Computes the age of time stamps of the system's clock, even around a change of that clock.
class StampClock
{
public:
  /// Takes the present time of both clocks; `system`: since 1970.
  void read(Instant now, Duration system)
  {
    const Duration ahead = system - now.time_since_epoch();
    const Duration change = ahead - ahead_.value_or(ahead);
    if (std::chrono::abs(change) > least_change) {
      set_by_ = change;
      set_at_ = now;
    } else if (now - set_at_ > change_matters) {
      set_by_ = Duration{};
    }
    if (!ahead_ || set_at_ == now) {
      ahead_ = ahead;
    }
    system_ = system;
  }

  /// Returns the age of a stamp, which may be from before the newest change; never below zero.
  Duration age(Duration stamp) const
  {
    const Duration now = system_ - stamp;
    const Duration before = now - set_by_;
    const auto [less, more] = std::minmax(now, before);
    // The clocks are read one after the other, so a young stamp may seem to be from the near future.
    return std::max(less < -least_change ? more : less, Duration{});
  }

private:
  static constexpr Duration least_change = std::chrono::milliseconds(500);
  static constexpr Duration change_matters =
    std::chrono::seconds(20);  ///< longer than a datagram may wait

  std::optional<Duration> ahead_;  ///< of the system's clock ahead of ours
  Duration system_{};
  Duration set_by_{};  ///< size of the newest change; zero once it does not matter
  Instant set_at_{};
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NET__STAMP_CLOCK_HPP_
