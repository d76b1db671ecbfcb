// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcl/time.h>

#include <builtin_interfaces/msg/time.hpp>
#include <cstdint>

#include "rclcpp/duration.hpp"

namespace rclcpp
{

/// A point in time of one clock type; mixing clock types throws std::runtime_error.
class Time
{
public:
  Time(int32_t seconds, uint32_t nanoseconds, rcl_clock_type_t clock_type = RCL_SYSTEM_TIME);
  explicit Time(int64_t nanoseconds = 0, rcl_clock_type_t clock_type = RCL_SYSTEM_TIME);
  Time(  // NOLINT: implicit, as in the real API
    const builtin_interfaces::msg::Time & message, rcl_clock_type_t clock_type = RCL_ROS_TIME);
  explicit Time(const rcl_time_point_t & time_point);

  operator builtin_interfaces::msg::Time() const;  // NOLINT: as in the real API
  Time & operator=(const builtin_interfaces::msg::Time & message);

  bool operator==(const Time & other) const;
  bool operator!=(const Time & other) const;
  bool operator<(const Time & other) const;
  bool operator<=(const Time & other) const;
  bool operator>(const Time & other) const;
  bool operator>=(const Time & other) const;

  Time operator+(const Duration & duration) const;
  Time operator-(const Duration & duration) const;
  Duration operator-(const Time & other) const;
  Time & operator+=(const Duration & duration);
  Time & operator-=(const Duration & duration);

  static Time max(rcl_clock_type_t clock_type = RCL_SYSTEM_TIME);

  rcl_time_point_value_t nanoseconds() const { return nanoseconds_; }
  double seconds() const;
  rcl_clock_type_t get_clock_type() const { return clock_type_; }

private:
  rcl_time_point_value_t nanoseconds_;
  rcl_clock_type_t clock_type_;
};

Time operator+(const Duration & duration, const Time & time);

}  // namespace rclcpp
