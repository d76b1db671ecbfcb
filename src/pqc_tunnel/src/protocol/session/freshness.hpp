// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__SESSION__FRESHNESS_HPP_
#define PQC_TUNNEL__PROTOCOL__SESSION__FRESHNESS_HPP_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/time.hpp"

namespace pqc_tunnel
{

// Recognizes packets that were held back: a packet is late if one with a higher sequence number arrived more than
// max_age before it. It remembers the highest number of a few spans of time, each an eighth of max_age long, so that a
// packet may pass that is late by so much more. Takes constant time and memory.
class Freshness
{
public:
  explicit Freshness(Duration max_age) : max_age_(max_age) {}

  bool is_late(std::uint64_t sequence, Instant now) const
  {
    const Instant limit = now - max_age_;
    return sequence < spans_[newest_].highest &&
           std::ranges::any_of(spans_, [&](const Span & span) {
             return sequence < span.highest && span.last < limit;
           });
  }

  // An authentic packet has arrived.
  void note(std::uint64_t sequence, Instant now)
  {
    if (sequence < spans_[newest_].highest) {
      return;
    }
    if (now >= spans_[newest_].begin + max_age_ / 8) {
      newest_ = (newest_ + 1) % spans_.size();
      spans_[newest_].begin = now;
    }
    spans_[newest_].highest = sequence;
    spans_[newest_].last = now;
  }

private:
  struct Span
  {
    Instant begin;
    Instant last;  // when the packet with `highest` arrived
    std::uint64_t highest = 0;
  };

  Duration max_age_;
  std::array<Span, 12> spans_ = {};  // 12 spans cover more than max_age
  std::size_t newest_ = 0;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__SESSION__FRESHNESS_HPP_
