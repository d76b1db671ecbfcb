// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__BASE__TIME_HPP_
#define PQC_TUNNEL__BASE__TIME_HPP_

#include <chrono>

namespace pqc_tunnel
{

using Duration = std::chrono::nanoseconds;

// The core is told the time; it never asks. There is therefore no now() here.
struct CoreClock
{
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<CoreClock>;
  static constexpr bool is_steady = true;
};

using Instant = CoreClock::time_point;

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__BASE__TIME_HPP_
