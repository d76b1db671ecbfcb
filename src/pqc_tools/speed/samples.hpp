// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__SPEED__SAMPLES_HPP_
#define PQC_TOOLS__SPEED__SAMPLES_HPP_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace pqc_tunnel::speed
{

// Keeps every sample, so that percentiles are exact. Nanoseconds per operation.
class Samples
{
public:
  void reserve(std::size_t count) { values_.reserve(count); }
  void add(double nanoseconds)
  {
    values_.push_back(nanoseconds);
    total_ += nanoseconds;
  }

  std::size_t count() const { return values_.size(); }
  double mean() const { return total_ / static_cast<double>(values_.size()); }

  // Interpolates between two samples: the median of 1, 2, 3, 4 is 2.5. NaN without samples.
  double percentile(double share) const
  {
    if (values_.empty()) {
      return std::nan("");
    }
    std::vector<double> sorted = values_;
    std::ranges::sort(sorted);
    const double position = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
  }

private:
  std::vector<double> values_;
  double total_ = 0;
};

}  // namespace pqc_tunnel::speed

#endif  // PQC_TOOLS__SPEED__SAMPLES_HPP_
