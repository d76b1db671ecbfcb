// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "rclcpp/executors/multi_threaded_executor.hpp"
#include "rclcpp/executors/single_threaded_executor.hpp"

namespace rclcpp
{

/// Serves the node until the context is shut down.
void spin(node_interfaces::NodeBaseInterface::SharedPtr node);
void spin(Node::SharedPtr node);

/// Runs what is ready now.
void spin_some(Node::SharedPtr node);
void spin_all(Node::SharedPtr node, std::chrono::nanoseconds max_duration);

template <typename FutureT, typename Rep = int64_t, typename Period = std::milli>
FutureReturnCode spin_until_future_complete(
  Node::SharedPtr node, const FutureT & future,
  std::chrono::duration<Rep, Period> timeout = std::chrono::duration<Rep, Period>(-1))
{
  executors::SingleThreadedExecutor executor;
  executor.add_node(node);
  const auto code = executor.spin_until_future_complete(future, timeout);
  executor.remove_node(node);
  return code;
}

namespace executors
{
using rclcpp::spin_until_future_complete;
}  // namespace executors

}  // namespace rclcpp
