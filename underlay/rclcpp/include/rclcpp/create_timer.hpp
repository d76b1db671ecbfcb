// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "rclcpp/node.hpp"

namespace rclcpp
{

/// A timer of the node by a clock of the caller's choice.
template <typename NodeT, typename CallbackT>
TimerBase::SharedPtr create_timer(
  NodeT && node, Clock::SharedPtr clock, Duration period, CallbackT && callback,
  CallbackGroup::SharedPtr group = nullptr, bool autostart = true)
{
  return node->make_timer(
    *clock, period.to_chrono<std::chrono::nanoseconds>(),
    detail::timer_callback(std::forward<CallbackT>(callback)), std::move(group), autostart);
}

}  // namespace rclcpp
