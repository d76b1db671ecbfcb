// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "rclcpp/guard_condition.hpp"

#include <stdexcept>

#include "rcl_check.hpp"

namespace rclcpp
{

GuardCondition::GuardCondition(const Context::SharedPtr & context)
: handle_(rcl_get_zero_initialized_guard_condition())
{
  if (!context) throw std::invalid_argument("context argument unexpectedly nullptr");
  context_ = context->get_rcl_context();
  if (!context_) throw std::runtime_error("the context isn't initialized: call rclcpp::init first");
  detail::check(
    rcl_guard_condition_init(&handle_, context_.get(), rcl_guard_condition_get_default_options()),
    "failed to create guard condition");
}

GuardCondition::~GuardCondition()
{
  if (rcl_guard_condition_fini(&handle_) != RCL_RET_OK) rcl_reset_error();
}

void GuardCondition::trigger()
{
  detail::check(rcl_trigger_guard_condition(&handle_), "failed to trigger guard condition");
}

}  // namespace rclcpp
