// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "rclcpp/clock.hpp"
#include "rclcpp/macros.hpp"

namespace rclcpp
{

/// Keeps a loop at a period; sleep() is false where the period was missed.
class Rate
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(Rate)

  explicit Rate(double hertz, Clock::SharedPtr clock = std::make_shared<Clock>(RCL_SYSTEM_TIME));
  explicit Rate(
    const Duration & period, Clock::SharedPtr clock = std::make_shared<Clock>(RCL_SYSTEM_TIME));
  virtual ~Rate() = default;

  virtual bool sleep();
  virtual void reset();
  std::chrono::nanoseconds period() const;
  rcl_clock_type_t get_type() const { return clock_->get_clock_type(); }

private:
  Clock::SharedPtr clock_;
  Duration period_;
  Time last_interval_;
};

class WallRate : public Rate
{
public:
  explicit WallRate(double hertz) : Rate(hertz, std::make_shared<Clock>(RCL_STEADY_TIME)) {}
  explicit WallRate(const Duration & period)
  : Rate(period, std::make_shared<Clock>(RCL_STEADY_TIME))
  {
  }
};

}  // namespace rclcpp
