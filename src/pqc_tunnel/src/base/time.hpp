// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__BASE__TIME_HPP_
#define PQC_TUNNEL__BASE__TIME_HPP_

#include <chrono>

namespace pqc_tunnel
{

/// A span of time in nanoseconds.
using Duration = std::chrono::nanoseconds;

/// The clock of Instant. It has no now(): the core gets the time as an argument (see monotonic_now()).
struct CoreClock
{
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<CoreClock>;
  static constexpr bool is_steady = true;
};

/// A point in time.
using Instant = CoreClock::time_point;

/// A span of time in seconds, and back.
constexpr double in_seconds(Duration time) { return std::chrono::duration<double>(time).count(); }
constexpr Duration from_seconds(double time)
{
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(time));
}

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__BASE__TIME_HPP_
