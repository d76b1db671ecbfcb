// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "sample_counter.hpp"

#include <cmath>
#include <utility>

namespace pqc_tunnel::power
{
namespace
{

// Times that differ from the interval by more than this part of it are not a measurement of it.
constexpr double tolerance = 0.5;
constexpr double learning_rate = 1.0 / 256.0;

}  // namespace

std::optional<Sample> SampleCounter::ticked(Instant at, std::uint64_t ticks, const Read & read)
{
  missed_ += ticks - 1;
  return take(at, read);
}

std::optional<Sample> SampleCounter::stamped(Instant at, const Read & read)
{
  if (last_) {
    const auto apart_ns = static_cast<double>((at - *last_).count());
    if (std::abs(apart_ns - interval_ns_) <= tolerance * interval_ns_) {
      interval_ns_ += learning_rate * (apart_ns - interval_ns_);
    } else if (apart_ns > interval_ns_) {
      missed_ += static_cast<std::uint64_t>(std::llround(apart_ns / interval_ns_)) - 1;
    }
  }
  last_ = at;
  return take(at, read);
}

void SampleCounter::finish()
{
  if (missed_ > 0) {
    ++counts_.gaps;
    counts_.missed += std::exchange(missed_, 0);
  }
}

std::optional<Sample> SampleCounter::take(Instant at, const Read & read)
{
  if (!read) {
    ++missed_;
    ++(
      read.error() == Missing::no_answer  ? counts_.no_answers
      : read.error() == Missing::overflow ? counts_.overflows
                                          : counts_.stale);
    return std::nullopt;
  }
  const std::uint64_t missed = missed_;
  finish();
  ++counts_.samples;
  return Sample{at, read->power_w, missed};
}

}  // namespace pqc_tunnel::power
