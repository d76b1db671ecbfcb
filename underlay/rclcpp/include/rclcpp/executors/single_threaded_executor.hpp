// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rclcpp/executor.hpp"

namespace rclcpp::executors
{

/// Runs every callback in the thread that called spin().
class SingleThreadedExecutor : public Executor
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(SingleThreadedExecutor)
  using Executor::Executor;

  void spin() override;
};

}  // namespace rclcpp::executors
