// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__BLASTER__DURATION_HISTOGRAM_HPP_
#define PQC_TOOLS__BLASTER__DURATION_HISTOGRAM_HPP_

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "pqc_tunnel/base/time.hpp"

namespace pqc_tunnel::blaster
{

// Counts durations in buckets whose width is 1/32 of their value, for percentiles with an error of about 2 % in fixed
// memory. Smallest, largest and mean are exact. Negative durations count as zero, except in smallest().
class DurationHistogram
{
public:
  void add(Duration duration)
  {
    const Duration bounded = std::max(duration, Duration::zero());
    ++buckets_[bucket_of(static_cast<std::uint64_t>(bounded.count()))];
    ++count_;
    largest_ = std::max(largest_, bounded);
    smallest_ = std::min(smallest_, duration);
    sum_ += bounded;
  }

  std::uint64_t count() const { return count_; }
  Duration largest() const { return largest_; }
  Duration smallest() const { return count_ == 0 ? Duration::zero() : smallest_; }
  Duration mean() const
  {
    return count_ == 0 ? Duration::zero() : sum_ / static_cast<std::int64_t>(count_);
  }

  // Returns the value that a share (0 to 1) of all durations does not exceed; zero without durations.
  Duration percentile(double share) const
  {
    const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      seen += buckets_[i];
      if (seen >= wanted && seen > 0) {
        return std::min(largest_, Duration(static_cast<std::int64_t>(middle_of(i))));
      }
    }
    return Duration::zero();
  }

private:
  static constexpr int fine_bits = 5;
  static constexpr std::uint64_t fine = 1 << fine_bits;
  static constexpr int max_bits = 40;  // 18 minutes in nanoseconds

  // Each value below 32 has a bucket of its own; above, each power of two has 32.
  static std::size_t bucket_of(std::uint64_t value)
  {
    value = std::min(value, (std::uint64_t{1} << max_bits) - 1);
    if (value < fine) {
      return static_cast<std::size_t>(value);
    }
    const int shift = static_cast<int>(std::bit_width(value)) - 1 - fine_bits;
    return static_cast<std::size_t>(static_cast<std::uint64_t>(shift) * fine + (value >> shift));
  }
  static std::uint64_t middle_of(std::size_t bucket)
  {
    if (bucket < 2 * fine) {
      return bucket;
    }
    const int shift = static_cast<int>(bucket / fine) - 1;
    const std::uint64_t first = (fine + bucket % fine) << shift;
    return first + (std::uint64_t{1} << shift) / 2;
  }

  std::array<std::uint64_t, (max_bits - fine_bits + 1) * fine> buckets_ = {};
  std::uint64_t count_ = 0;
  Duration largest_{};
  Duration smallest_ = Duration::max();
  Duration sum_{};
};

}  // namespace pqc_tunnel::blaster

#endif  // PQC_TOOLS__BLASTER__DURATION_HISTOGRAM_HPP_
