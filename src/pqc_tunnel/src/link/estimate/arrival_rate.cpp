// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "arrival_rate.hpp"

#include <algorithm>

namespace pqc_tunnel
{
namespace
{

constexpr Duration longest_train = std::chrono::seconds(2);  // after it the next measurement begins
constexpr Duration resolution = std::chrono::milliseconds(1);
constexpr std::size_t least_bytes = 1500;

}  // namespace

void ArrivalRate::handle_part(std::size_t bytes, Instant now)
{
  if (!begun_ || now > last_ + longest_gap) {
    begun_ = last_ = now;
    bytes_ = 0;
    return;
  }
  bytes_ += bytes;
  last_ = now;
  if (bytes_ < least_bytes) {
    return;
  }
  const std::chrono::duration<double> time = std::max(now - *begun_, resolution);
  rate_ = static_cast<double>(bytes_) / time.count();
  if (now >= *begun_ + longest_train) {
    begun_ = now;
    bytes_ = 0;
  }
}

}  // namespace pqc_tunnel
