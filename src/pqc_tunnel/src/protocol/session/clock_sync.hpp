// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__SESSION__CLOCK_SYNC_HPP_
#define PQC_TUNNEL__PROTOCOL__SESSION__CLOCK_SYNC_HPP_

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/time.hpp"

namespace pqc_tunnel
{

// One TIME_REQ / TIME_RSP exchange in nanoseconds. This end sends at t1 and receives at t4; the peer
// receives at t2 and answers at t3. Each clock has its own origin, within 73 years.
struct TimeSample
{
  std::int64_t t1;
  std::int64_t t2;
  std::int64_t t3;
  std::int64_t t4;
};

// Estimates the peer's clock (Chronos, docs/protocol.md "Control"). The estimate serves measurements
// only; the security of the link must not depend on it.
//
// The offset comes from the best of the last 16 samples: the shortest round trip, with an allowance
// for age. The drift is a regression over the best samples of successive windows of 16. As long as
// clocks drift by less than assumed_drift_ppm (once measured: as long as the drift is steady),
// error_bound() holds for any asymmetry of the path. Four samples in a row that contradict the
// estimate mean that a clock was set, and restart it.
class ClockSync
{
public:
  static constexpr double assumed_drift_ppm = 50;

  // `now` is the instant of t4. Impossible samples (t4 < t1, t3 < t2, negative round trip) only
  // count as refused.
  void handle_sample(const TimeSample & sample, Instant now);

  bool valid() const { return count_ > 0; }

  // Returns peer clock minus own clock, by default at the newest sample; zero while not valid.
  Duration offset() const { return offset(latest_); }
  Duration offset(Instant now) const;

  // Returns the largest error of offset(); the largest duration while not valid.
  Duration error_bound() const { return error_bound(latest_); }
  Duration error_bound(Instant now) const;

  // Returns how much faster the peer's clock runs than ours; zero until three windows are complete.
  double drift_ppm() const { return drift_ * 1e6; }

  Duration rtt() const { return rtt_; }  // smoothed as in RFC 6298; zero while not valid
  Duration min_rtt() const;              // of the last 16 samples; zero while not valid

  // Return the one-way delays of the newest sample, from the estimated offset. Each may be wrong by up
  // to error_bound(), with opposite signs. Zero while not valid.
  Duration delay_to_peer() const;
  Duration delay_from_peer() const;

  std::uint64_t accepted() const { return accepted_; }
  std::uint64_t refused() const { return refused_; }

private:
  static constexpr std::size_t window = 16;
  static constexpr std::size_t max_points = 16;
  static constexpr std::size_t min_points = 3;
  static constexpr int contradictions_to_restart = 4;

  // An offset, its time, and the bound of its error at that time.
  struct Measurement
  {
    Instant at;
    std::int64_t offset = 0;
    std::int64_t rtt = 0;
    double bound = 0;
  };

  double bound_at(const Measurement & measurement, Instant now) const;
  double extrapolated(const Measurement & measurement, Instant now) const;
  bool contradicts(const Measurement & measurement) const;
  void restart();
  void choose_best();
  void close_window();
  void fit_drift();

  std::array<Measurement, window> samples_;  // a ring
  std::size_t count_ = 0;                    // since the start or restart
  std::array<Measurement, max_points> points_;
  std::size_t point_count_ = 0;
  Measurement best_;
  Instant latest_;
  TimeSample latest_sample_{};
  Duration rtt_{};
  double drift_ = 0;  // as a fraction
  double used_drift_ = 0;
  double allowed_drift_ = assumed_drift_ppm * 1e-6;  // bound of the error of used_drift_
  int contradictions_ = 0;
  std::uint64_t accepted_ = 0;
  std::uint64_t refused_ = 0;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__SESSION__CLOCK_SYNC_HPP_
