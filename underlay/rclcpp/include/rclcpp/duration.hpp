// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcl/time.h>
#include <rmw/time.h>

#include <builtin_interfaces/msg/duration.hpp>
#include <builtin_interfaces/msg/time.hpp>
#include <chrono>
#include <compare>
#include <cstdint>

namespace rclcpp
{

/// A signed length of time in nanoseconds; arithmetic that overflows throws.
class Duration
{
public:
  Duration(int32_t seconds, uint32_t nanoseconds);

  template <class Rep, class Period>
  Duration(const std::chrono::duration<Rep, Period> & duration)  // NOLINT: as in the real API
  : Duration(std::chrono::duration_cast<std::chrono::nanoseconds>(duration))
  {
  }
  Duration(std::chrono::nanoseconds nanoseconds);               // NOLINT: as in the real API
  Duration(const builtin_interfaces::msg::Duration & message);  // NOLINT: as in the real API
  explicit Duration(const rcl_duration_t & duration) : nanoseconds_(duration.nanoseconds) {}

  operator builtin_interfaces::msg::Duration() const;  // NOLINT: as in the real API

  auto operator<=>(const Duration &) const = default;

  Duration operator+(const Duration & other) const;
  Duration operator-(const Duration & other) const;
  Duration operator*(double scale) const;
  Duration & operator+=(const Duration & other);
  Duration & operator-=(const Duration & other);
  Duration & operator*=(double scale);

  static Duration max();
  static Duration from_seconds(double seconds);
  static Duration from_nanoseconds(rcl_duration_value_t nanoseconds);
  static Duration from_rmw_time(rmw_time_t duration);

  rcl_duration_value_t nanoseconds() const { return nanoseconds_; }
  double seconds() const;
  rmw_time_t to_rmw_time() const;

  template <class DurationT>
  DurationT to_chrono() const
  {
    return std::chrono::duration_cast<DurationT>(std::chrono::nanoseconds(nanoseconds_));
  }

private:
  rcl_duration_value_t nanoseconds_;
};

}  // namespace rclcpp
