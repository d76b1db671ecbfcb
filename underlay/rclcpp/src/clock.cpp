// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "rclcpp/clock.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "rcl_check.hpp"
#include "rclcpp/rate.hpp"

namespace rclcpp
{

namespace
{

/// How often sleeping by simulated time looks at the clock.
constexpr std::chrono::milliseconds simulated_tick{5};

}  // namespace

Clock::Clock(rcl_clock_type_t clock_type)
: handle_(new rcl_clock_t{}, [](rcl_clock_t * clock) {
    if (rcl_clock_fini(clock) != RCL_RET_OK) rcl_reset_error();
    std::default_delete<rcl_clock_t>()(clock);
  })
{
  auto allocator = rcl_get_default_allocator();
  detail::check(rcl_clock_init(clock_type, handle_.get(), &allocator), "failed to make a clock");
}

Clock::~Clock() = default;

Time Clock::now() const
{
  const std::lock_guard lock(mutex_);
  rcl_time_point_value_t nanoseconds = 0;
  detail::check(rcl_clock_get_now(handle_.get(), &nanoseconds), "could not get current time stamp");
  return Time(nanoseconds, handle_->type);
}

bool Clock::sleep_until(Time until, Context::SharedPtr context)
{
  if (!context || !context->is_valid()) {
    throw std::runtime_error("context cannot be slept with because it's invalid");
  }
  if (until.get_clock_type() != get_clock_type()) {
    throw std::runtime_error("until's clock type does not match this clock's type");
  }
  while (true) {
    const auto left = (until - now()).to_chrono<std::chrono::nanoseconds>();
    if (left <= std::chrono::nanoseconds(0)) return true;
    const auto nap = ros_time_is_active() ? std::chrono::nanoseconds(simulated_tick) : left;
    if (!context->sleep_for(nap)) return false;
  }
}

bool Clock::sleep_for(Duration duration, Context::SharedPtr context)
{
  return sleep_until(now() + duration, std::move(context));
}

bool Clock::started() { return !ros_time_is_active() || now().nanoseconds() > 0; }

bool Clock::wait_until_started(Context::SharedPtr context)
{
  while (!started()) {
    if (!context->sleep_for(simulated_tick)) return false;
  }
  return true;
}

bool Clock::ros_time_is_active()
{
  if (get_clock_type() != RCL_ROS_TIME) return false;
  const std::lock_guard lock(mutex_);
  bool active = false;
  detail::check(
    rcl_is_enabled_ros_time_override(handle_.get(), &active), "failed to check ros_time_override");
  return active;
}

Rate::Rate(double hertz, Clock::SharedPtr clock)
: Rate(Duration::from_seconds(1.0 / hertz), std::move(clock))
{
}

Rate::Rate(const Duration & period, Clock::SharedPtr clock)
: clock_(std::move(clock)), period_(period), last_interval_(clock_->now())
{
  if (period.nanoseconds() <= 0) {
    throw std::invalid_argument("period must be greater than 0");
  }
}

bool Rate::sleep()
{
  const auto now = clock_->now();
  auto next = last_interval_ + period_;
  // Time went back, as simulated time may.
  if (now < last_interval_) next = now + period_;
  last_interval_ += period_;
  if (next <= now) {
    if (now > next + period_) last_interval_ = now;
    return false;
  }
  clock_->sleep_until(next);
  return true;
}

void Rate::reset() { last_interval_ = clock_->now(); }

std::chrono::nanoseconds Rate::period() const
{
  return period_.to_chrono<std::chrono::nanoseconds>();
}

}  // namespace rclcpp
