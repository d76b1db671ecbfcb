// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__POWER_CAPTURE__SAMPLE_COUNTER_HPP_
#define PQC_TOOLS__POWER_CAPTURE__SAMPLE_COUNTER_HPP_

#include <cstdint>
#include <optional>

#include "pqc_tunnel/base/time.hpp"
#include "reading.hpp"

namespace pqc_tunnel::power
{

/// One row of a trace.
struct Sample
{
  Instant at;
  double power_w;
  std::uint64_t missed;  // samples that are missing between this one and the one before
};

struct Counts
{
  std::uint64_t samples = 0;
  std::uint64_t gaps = 0;    // places where samples are missing
  std::uint64_t missed = 0;  // samples missing in them
  std::uint64_t no_answers = 0;
  std::uint64_t overflows = 0;
  std::uint64_t stale = 0;
};

/// Makes samples of readings and counts every one that is missing, for whatever reason.
class SampleCounter
{
public:
  explicit SampleCounter(Duration interval) : interval_ns_(static_cast<double>(interval.count())) {}

  /// A reading that this program took, after so many ticks of its timer; one is no gap.
  std::optional<Sample> ticked(Instant at, std::uint64_t ticks, const Read & read);
  /// A reading that the sensor's driver took by its own clock. The interval is known to a few per cent only, and so is
  /// learnt from the times.
  std::optional<Sample> stamped(Instant at, const Read & read);
  /// Notes ticks after the last reading.
  void finish();

  const Counts & counts() const { return counts_; }
  /// The interval between two samples without a gap.
  Duration interval() const { return Duration(static_cast<Duration::rep>(interval_ns_)); }

private:
  std::optional<Sample> take(Instant at, const Read & read);

  double interval_ns_;
  std::optional<Instant> last_;
  std::uint64_t missed_ = 0;  // since the last sample
  Counts counts_;
};

}  // namespace pqc_tunnel::power

#endif  // PQC_TOOLS__POWER_CAPTURE__SAMPLE_COUNTER_HPP_
