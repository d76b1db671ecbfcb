// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcl/time.h>

#include <memory>
#include <mutex>

#include "rclcpp/context.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/time.hpp"

namespace rclcpp
{

/// System, steady or ROS time; ROS time follows /clock where `use_sim_time` is set.
class Clock
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(Clock)
  RCLCPP_DISABLE_COPY(Clock)

  explicit Clock(rcl_clock_type_t clock_type = RCL_SYSTEM_TIME);
  ~Clock();

  Time now() const;

  /// True once the time was reached, false if the context was shut down before.
  bool sleep_until(Time until, Context::SharedPtr context = contexts::get_global_default_context());
  bool sleep_for(
    Duration duration, Context::SharedPtr context = contexts::get_global_default_context());

  /// False for a ROS clock in simulation that hasn't seen /clock yet.
  bool started();
  bool wait_until_started(Context::SharedPtr context = contexts::get_global_default_context());

  bool ros_time_is_active();
  rcl_clock_type_t get_clock_type() const noexcept { return handle_->type; }
  rcl_clock_t * get_clock_handle() noexcept { return handle_.get(); }
  std::mutex & get_clock_mutex() noexcept { return mutex_; }

  /// The handle, for what has to outlive this object's owner.
  std::shared_ptr<rcl_clock_t> get_shared_handle() const { return handle_; }

private:
  std::shared_ptr<rcl_clock_t> handle_;
  mutable std::mutex mutex_;
};

}  // namespace rclcpp
