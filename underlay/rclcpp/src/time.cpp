// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "rclcpp/time.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace rclcpp
{

namespace
{

constexpr int64_t nanoseconds_per_second = 1'000'000'000;
constexpr int64_t greatest = std::numeric_limits<int64_t>::max();

int64_t sum(int64_t a, int64_t b)
{
  int64_t result = 0;
  if (!__builtin_add_overflow(a, b, &result)) return result;
  if (b > 0) throw std::overflow_error("addition leads to int64_t overflow");
  throw std::underflow_error("addition leads to int64_t underflow");
}

int64_t difference(int64_t a, int64_t b)
{
  int64_t result = 0;
  if (!__builtin_sub_overflow(a, b, &result)) return result;
  if (b < 0) throw std::overflow_error("time subtraction leads to int64_t overflow");
  throw std::underflow_error("time subtraction leads to int64_t underflow");
}

int64_t in_nanoseconds(int32_t seconds, uint32_t nanoseconds)
{
  return seconds * nanoseconds_per_second + nanoseconds;
}

struct Parts
{
  int32_t seconds;
  uint32_t nanoseconds;
};

/// Seconds rounded down, and what remains; clamped to what the messages can hold.
Parts parts(int64_t nanoseconds)
{
  auto seconds = nanoseconds / nanoseconds_per_second;
  auto rest = nanoseconds % nanoseconds_per_second;
  if (rest < 0) {
    seconds -= 1;
    rest += nanoseconds_per_second;
  }
  using Limits = std::numeric_limits<int32_t>;
  if (seconds > Limits::max()) return {Limits::max(), std::numeric_limits<uint32_t>::max()};
  if (seconds < Limits::min()) return {Limits::min(), 0};
  return {static_cast<int32_t>(seconds), static_cast<uint32_t>(rest)};
}

void same_clock(const Time & a, const Time & b, const char * doing)
{
  if (a.get_clock_type() != b.get_clock_type()) throw std::runtime_error(doing);
}

constexpr auto cannot_compare = "can't compare times with different time sources";
constexpr auto cannot_subtract = "can't subtract times with different time sources [times]";

}  // namespace

Duration::Duration(int32_t seconds, uint32_t nanoseconds)
: nanoseconds_(in_nanoseconds(seconds, nanoseconds))
{
}

Duration::Duration(std::chrono::nanoseconds nanoseconds) : nanoseconds_(nanoseconds.count()) {}

Duration::Duration(const builtin_interfaces::msg::Duration & message)
: nanoseconds_(in_nanoseconds(message.sec, message.nanosec))
{
}

Duration::operator builtin_interfaces::msg::Duration() const
{
  const auto [seconds, rest] = parts(nanoseconds_);
  builtin_interfaces::msg::Duration message;
  message.sec = seconds;
  message.nanosec = rest;
  return message;
}

Duration Duration::operator+(const Duration & other) const
{
  return from_nanoseconds(sum(nanoseconds_, other.nanoseconds_));
}

Duration Duration::operator-(const Duration & other) const
{
  return from_nanoseconds(difference(nanoseconds_, other.nanoseconds_));
}

Duration Duration::operator*(double scale) const
{
  if (!std::isfinite(scale)) throw std::runtime_error("abnormal scale in rclcpp::Duration");
  const auto scaled = static_cast<long double>(nanoseconds_) * static_cast<long double>(scale);
  if (scaled >= static_cast<long double>(greatest)) {
    throw std::overflow_error("duration scaling leads to int64_t overflow");
  }
  if (scaled <= static_cast<long double>(std::numeric_limits<int64_t>::min())) {
    throw std::underflow_error("duration scaling leads to int64_t underflow");
  }
  return from_nanoseconds(static_cast<int64_t>(scaled));
}

Duration & Duration::operator+=(const Duration & other) { return *this = *this + other; }
Duration & Duration::operator-=(const Duration & other) { return *this = *this - other; }
Duration & Duration::operator*=(double scale) { return *this = *this * scale; }

Duration Duration::max()
{
  return Duration(std::numeric_limits<int32_t>::max(), std::numeric_limits<uint32_t>::max());
}

Duration Duration::from_seconds(double seconds)
{
  return from_nanoseconds(
    static_cast<int64_t>(seconds * static_cast<double>(nanoseconds_per_second)));
}

Duration Duration::from_nanoseconds(rcl_duration_value_t nanoseconds)
{
  return Duration(std::chrono::nanoseconds(nanoseconds));
}

Duration Duration::from_rmw_time(rmw_time_t duration)
{
  return from_nanoseconds(static_cast<int64_t>(rmw_time_total_nsec(duration)));
}

double Duration::seconds() const
{
  return std::chrono::duration<double>(to_chrono<std::chrono::nanoseconds>()).count();
}

rmw_time_t Duration::to_rmw_time() const
{
  if (nanoseconds_ < 0) throw std::runtime_error("rmw_time_t cannot be negative");
  return rmw_time_from_nsec(nanoseconds_);
}

Time::Time(int32_t seconds, uint32_t nanoseconds, rcl_clock_type_t clock_type)
: nanoseconds_(in_nanoseconds(seconds, nanoseconds)), clock_type_(clock_type)
{
  if (seconds < 0) throw std::runtime_error("cannot store a negative time point in rclcpp::Time");
}

Time::Time(int64_t nanoseconds, rcl_clock_type_t clock_type)
: nanoseconds_(nanoseconds), clock_type_(clock_type)
{
}

Time::Time(const builtin_interfaces::msg::Time & message, rcl_clock_type_t clock_type)
: Time(message.sec, message.nanosec, clock_type)
{
}

Time::Time(const rcl_time_point_t & time_point)
: nanoseconds_(time_point.nanoseconds), clock_type_(time_point.clock_type)
{
}

Time::operator builtin_interfaces::msg::Time() const
{
  const auto [seconds, rest] = parts(nanoseconds_);
  builtin_interfaces::msg::Time message;
  message.sec = seconds;
  message.nanosec = rest;
  return message;
}

Time & Time::operator=(const builtin_interfaces::msg::Time & message)
{
  return *this = Time(message);
}

bool Time::operator==(const Time & other) const
{
  same_clock(*this, other, cannot_compare);
  return nanoseconds_ == other.nanoseconds_;
}

bool Time::operator!=(const Time & other) const { return !(*this == other); }

bool Time::operator<(const Time & other) const
{
  same_clock(*this, other, cannot_compare);
  return nanoseconds_ < other.nanoseconds_;
}

bool Time::operator<=(const Time & other) const { return !(other < *this); }
bool Time::operator>(const Time & other) const { return other < *this; }
bool Time::operator>=(const Time & other) const { return !(*this < other); }

Time Time::operator+(const Duration & duration) const
{
  return Time(sum(nanoseconds_, duration.nanoseconds()), clock_type_);
}

Time Time::operator-(const Duration & duration) const
{
  return Time(difference(nanoseconds_, duration.nanoseconds()), clock_type_);
}

Duration Time::operator-(const Time & other) const
{
  same_clock(*this, other, cannot_subtract);
  return Duration::from_nanoseconds(difference(nanoseconds_, other.nanoseconds_));
}

Time & Time::operator+=(const Duration & duration) { return *this = *this + duration; }
Time & Time::operator-=(const Duration & duration) { return *this = *this - duration; }

Time Time::max(rcl_clock_type_t clock_type)
{
  return Time(std::numeric_limits<int32_t>::max(), nanoseconds_per_second - 1, clock_type);
}

double Time::seconds() const
{
  return std::chrono::duration<double>(std::chrono::nanoseconds(nanoseconds_)).count();
}

Time operator+(const Duration & duration, const Time & time) { return time + duration; }

}  // namespace rclcpp
