// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__LINK_EMULATOR__BOTTLENECK_HPP_
#define PQC_TOOLS__LINK_EMULATOR__BOTTLENECK_HPP_

#include <algorithm>
#include <cstddef>
#include <optional>

#include "settings.hpp"

namespace pqc_tunnel::link_emulator
{

// The rate limit of one direction with its queue.
class Bottleneck
{
public:
  explicit Bottleneck(const ChannelSettings & settings)
  : rate_bits_per_s_(settings.rate_bits_per_s), queue_(time_for(settings.queue_bytes))
  {
  }

  // Returns when the last bit of a packet that arrives now has left; nothing if the queue has no room.
  // An idle link accepts a packet of any size.
  std::optional<Instant> send(std::size_t bytes, Instant now)
  {
    if (free_at_ > now && free_at_ - now + time_for(bytes) > queue_) {
      return std::nullopt;
    }
    free_at_ = std::max(free_at_, now) + time_for(bytes);
    return free_at_;
  }

private:
  Duration time_for(std::size_t bytes) const
  {
    if (rate_bits_per_s_ == 0) {
      return Duration::zero();
    }
    return from_seconds(static_cast<double>(bytes) * 8.0 / static_cast<double>(rate_bits_per_s_));
  }

  std::uint64_t rate_bits_per_s_;
  Duration queue_;
  Instant free_at_ = Instant::min();
};

}  // namespace pqc_tunnel::link_emulator

#endif  // PQC_TOOLS__LINK_EMULATOR__BOTTLENECK_HPP_
