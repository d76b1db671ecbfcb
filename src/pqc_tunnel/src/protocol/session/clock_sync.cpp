// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "clock_sync.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <span>

namespace pqc_tunnel
{

namespace
{

constexpr double assumed_drift = ClockSync::assumed_drift_ppm * 1e-6;
constexpr double wander = 2e-6;  // largest change of a measured drift, for example with temperature
constexpr std::int64_t plausible = std::int64_t{1} << 61;  // 73 years: no difference can overflow

bool is_plausible(const TimeSample & s)
{
  for (const auto t : {s.t1, s.t2, s.t3, s.t4}) {
    if (t <= -plausible || t >= plausible) return false;
  }
  return s.t3 >= s.t2 && s.t4 - s.t1 >= s.t3 - s.t2;  // implies t4 >= t1
}

double nanoseconds(Duration duration) { return static_cast<double>(duration.count()); }

}  // namespace

double ClockSync::bound_at(const Measurement & measurement, Instant now) const
{
  return measurement.bound + allowed_drift_ * std::abs(nanoseconds(now - measurement.at));
}

// Returns nanoseconds relative to the measured offset, which may exceed what a double holds exactly.
double ClockSync::extrapolated(const Measurement & measurement, Instant now) const
{
  return used_drift_ * nanoseconds(now - measurement.at);
}

bool ClockSync::contradicts(const Measurement & measurement) const
{
  const auto difference =
    static_cast<double>(measurement.offset - best_.offset) - extrapolated(best_, measurement.at);
  return std::abs(difference) > measurement.bound + bound_at(best_, measurement.at);
}

void ClockSync::handle_sample(const TimeSample & s, Instant now)
{
  if (!is_plausible(s)) {
    ++refused_;
    return;
  }
  const auto elapsed = s.t4 - s.t1;
  Measurement measurement;
  measurement.at = now - Duration(elapsed / 2);
  measurement.offset = std::midpoint(s.t2 - s.t1, s.t3 - s.t4);
  measurement.rtt = elapsed - (s.t3 - s.t2);
  measurement.bound =
    static_cast<double>(measurement.rtt) / 2 + assumed_drift * static_cast<double>(elapsed) + 1;

  if (valid() && contradicts(measurement)) {
    if (++contradictions_ < contradictions_to_restart) {
      ++refused_;
      return;
    }
    restart();
  }
  contradictions_ = 0;
  ++accepted_;
  latest_ = now;
  latest_sample_ = s;
  const Duration rtt(measurement.rtt);
  rtt_ = count_ == 0 ? rtt : rtt_ + (rtt - rtt_) / 8;
  samples_[count_++ % window] = measurement;
  if (count_ % window == 0) close_window();
  choose_best();
}

void ClockSync::restart()
{
  count_ = 0;
  point_count_ = 0;
  drift_ = 0;
  used_drift_ = 0;
  allowed_drift_ = assumed_drift;
}

void ClockSync::choose_best()
{
  const std::span<const Measurement> held(samples_.data(), std::min(count_, window));
  best_ = *std::min_element(held.begin(), held.end(), [this](const auto & a, const auto & b) {
    return bound_at(a, latest_) < bound_at(b, latest_);
  });
}

void ClockSync::close_window()
{
  if (point_count_ == max_points) {
    std::move(points_.begin() + 1, points_.end(), points_.begin());
    --point_count_;
  }
  points_[point_count_++] = *std::min_element(
    samples_.begin(), samples_.end(),
    [](const auto & a, const auto & b) { return a.bound < b.bound; });
  if (point_count_ >= min_points) fit_drift();
}

// Fits a line by least squares. The slope is a weighted sum of the offsets, so the same weights turn
// the bounds of the points into its own bound. It is used only if that is below the assumed drift.
void ClockSync::fit_drift()
{
  const std::span<const Measurement> points(points_.data(), point_count_);
  const auto n = static_cast<double>(points.size());
  const auto x = [&](const Measurement & p) { return nanoseconds(p.at - points.front().at); };
  double mean = 0;
  for (const auto & point : points) mean += x(point) / n;
  double spread = 0;
  for (const auto & point : points) spread += (x(point) - mean) * (x(point) - mean);
  if (spread <= 0) return;

  double slope = 0;
  double slope_bound = wander;
  for (const auto & point : points) {
    const auto weight = (x(point) - mean) / spread;
    slope += weight * static_cast<double>(point.offset - points.front().offset);
    slope_bound += std::abs(weight) * point.bound;
  }
  drift_ = slope;
  const bool surer = slope_bound < assumed_drift;
  used_drift_ = surer ? slope : 0;
  allowed_drift_ = surer ? slope_bound : assumed_drift;
}

Duration ClockSync::offset(Instant now) const
{
  if (!valid()) return Duration::zero();
  return Duration(best_.offset) + Duration(std::llround(extrapolated(best_, now)));
}

Duration ClockSync::error_bound(Instant now) const
{
  if (!valid()) return Duration::max();
  return Duration(std::llround(std::ceil(bound_at(best_, now))));
}

Duration ClockSync::delay_to_peer() const
{
  return Duration(latest_sample_.t2 - latest_sample_.t1) - offset();
}

Duration ClockSync::delay_from_peer() const
{
  return Duration(latest_sample_.t4 - latest_sample_.t3) + offset();
}

Duration ClockSync::min_rtt() const
{
  if (!valid()) return Duration::zero();
  const std::span<const Measurement> held(samples_.data(), std::min(count_, window));
  return Duration(std::min_element(held.begin(), held.end(), [](const auto & a, const auto & b) {
                    return a.rtt < b.rtt;
                  })->rtt);
}

}  // namespace pqc_tunnel
