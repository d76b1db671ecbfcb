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

// How long frames of this end wait in queues of the link: what one-way delays have beyond the shortest of late, as in
// LEDBAT (RFC 6817). Only differences count, so that the clocks of the ends need not agree.
class QueueDelay
{
public:
  static constexpr std::size_t newest_samples = 5;

  // `keep_base`: a queue stands; the shortest delay would be forgotten in it.
  void handle_delay(Duration delay, bool keep_base, Instant now);
  // The newest delays are those of an empty queue: the way has become longer.
  void take_as_base(Instant now);

  // There are as many samples as least() and most() look at.
  bool known() const { return taken_ >= newest_samples; }
  // Of the newest samples. The least is free of jitter.
  Duration least() const { return beyond_base(*std::ranges::min_element(newest_)); }
  Duration most() const { return beyond_base(*std::ranges::max_element(newest_)); }
  std::size_t taken() const { return taken_; }
  // The delay of the newest sample alone is known sooner and is less sure.
  Duration newest() const { return beyond_base(newest_[(taken_ - 1) % newest_samples]); }

private:
  Duration beyond_base(Duration delay) const
  {
    return std::max(delay - std::min(base_, former_base_), Duration{});
  }

  std::array<Duration, newest_samples> newest_ = {};  // a ring
  std::size_t taken_ = 0;
  Duration base_ = Duration::max();         // the shortest of this time …
  Duration former_base_ = Duration::max();  // … and of the one before
  std::optional<Instant> base_since_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__ESTIMATE__QUEUE_DELAY_HPP_
