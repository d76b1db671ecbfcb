// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "queue_delay.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr Duration base_time = std::chrono::seconds(30);  // clocks drift by a few ms in two periods
constexpr Duration implausible = std::chrono::seconds(30);

}  // namespace

void QueueDelay::handle_delay(Duration delay, bool keep_base, Instant now)
{
  // No frame waits for so long, so the clock of the peer has jumped.
  if (taken_ > 0 && beyond_base(delay) > implausible) {
    taken_ = 0;
    base_ = former_base_ = Duration::max();
    base_since_.reset();
  }
  if (!base_since_) {
    base_since_ = now;
  } else if (!keep_base && now >= *base_since_ + base_time) {
    base_since_ = now;
    former_base_ = base_;
    base_ = delay;
  }
  base_ = std::min(base_, delay);
  newest_[taken_++ % newest_samples] = delay;
}

void QueueDelay::take_as_base(Instant now)
{
  former_base_ = Duration::max();
  base_ = *std::ranges::min_element(newest_);
  base_since_ = now;
}

}  // namespace pqc_tunnel
