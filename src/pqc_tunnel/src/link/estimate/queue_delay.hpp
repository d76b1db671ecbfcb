// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__LINK__ESTIMATE__QUEUE_DELAY_HPP_
#define PQC_TUNNEL__LINK__ESTIMATE__QUEUE_DELAY_HPP_

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "base/time.hpp"

namespace pqc_tunnel
{

// Measures how long frames of this end wait in queues of the link: the one-way delay less the shortest recent one, as
// in LEDBAT (RFC 6817). Only differences count, so that the clocks of the ends need not agree.
class QueueDelay
{
public:
  static constexpr std::size_t newest_samples = 5;

  // `keep_base`: keeps the shortest delay, because a standing queue would hide it.
  void handle_delay(Duration delay, bool keep_base, Instant now);
  // Takes the newest delays for those of an empty queue, because the path has become longer.
  void take_as_base(Instant now);

  // True once there are as many samples as least() and most() use.
  bool known() const { return taken_ >= newest_samples; }
  // Return the extremes of the newest samples. The least is free of jitter.
  Duration least() const { return beyond_base(*std::ranges::min_element(newest_)); }
  Duration most() const { return beyond_base(*std::ranges::max_element(newest_)); }
  std::size_t taken() const { return taken_; }
  // Returns the delay of the newest sample alone, which comes sooner but is less certain.
  Duration newest() const { return beyond_base(newest_[(taken_ - 1) % newest_samples]); }

private:
  Duration beyond_base(Duration delay) const
  {
    return std::max(delay - std::min(base_, former_base_), Duration{});
  }

  std::array<Duration, newest_samples> newest_ = {};  // a ring
  std::size_t taken_ = 0;
  Duration base_ = Duration::max();         // shortest delay of the period under way
  Duration former_base_ = Duration::max();  // shortest delay of the period before
  std::optional<Instant> base_since_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__ESTIMATE__QUEUE_DELAY_HPP_
