// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__FRESHNESS_HPP_
#define PQC_TUNNEL__PROTOCOL__FRESHNESS_HPP_

#include <array>
#include <cstddef>
#include <cstdint>

#include "pqc_tunnel/base/time.hpp"

namespace pqc_tunnel
{

// Recognizes packets that were held back: a packet is late if one with a higher sequence number arrived more than
// max_lateness before it. Remembers the highest number at a few times, up to an eighth of max_lateness too old. Constant
// time and memory.
class Freshness
{
public:
  explicit Freshness(Duration max_lateness) : max_lateness_(max_lateness) {}

  bool is_late(std::uint64_t sequence, Instant now) const
  {
    if (sequence >= highest_) {
      return false;
    }
    const Instant limit = now - max_lateness_;
    if (highest_at_ < limit) {
      return true;
    }
    for (const Checkpoint & checkpoint : checkpoints_) {
      if (checkpoint.at < limit && sequence < checkpoint.highest) {
        return true;
      }
    }
    return false;
  }

  // An authentic packet has arrived.
  void note(std::uint64_t sequence, Instant now)
  {
    if (sequence < highest_) {
      return;
    }
    highest_ = sequence;
    highest_at_ = now;
    Checkpoint & newest = checkpoints_[newest_];
    if (now < newest.at + max_lateness_ / 8) {
      return;
    }
    newest_ = (newest_ + 1) % checkpoints_.size();
    checkpoints_[newest_] = {now, sequence};
  }

private:
  struct Checkpoint
  {
    Instant at;
    std::uint64_t highest = 0;
  };

  Duration max_lateness_;
  std::uint64_t highest_ = 0;
  Instant highest_at_ = Instant::max();  // none yet
  std::array<Checkpoint, 12> checkpoints_ = {};
  std::size_t newest_ = 0;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__FRESHNESS_HPP_
