// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcl/guard_condition.h>

#include <memory>

#include "rclcpp/context.hpp"
#include "rclcpp/macros.hpp"

namespace rclcpp
{

/// Wakes whoever waits on it; trigger() may be called from any thread.
class GuardCondition
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(GuardCondition)
  RCLCPP_DISABLE_COPY(GuardCondition)

  explicit GuardCondition(
    const Context::SharedPtr & context = contexts::get_global_default_context());
  virtual ~GuardCondition();

  rcl_guard_condition_t & get_rcl_guard_condition() { return handle_; }
  void trigger();

private:
  std::shared_ptr<rcl_context_t> context_;
  rcl_guard_condition_t handle_;
};

}  // namespace rclcpp
