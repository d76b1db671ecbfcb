// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "rclcpp/logging.hpp"
#include "rclcpp/node.hpp"
#include "rclcpp/parameter_value.hpp"
#include "rclcpp/qos.hpp"

namespace rclcpp
{

/// Options of init(); only the defaults exist here.
class InitOptions
{
};

/// The signals that rclcpp handles by itself. Only None exists: the program handles them.
enum class SignalHandlerOptions
{
  None,
};

/// Starts the process's one context. Throws std::runtime_error if it has been started already, or
/// with rcl's message if it can't use the ROS arguments.
void init(
  int argc, char const * const * argv, const InitOptions & init_options,
  SignalHandlerOptions signal_handler_options);

/// Returns true from init() to shutdown().
bool ok();

/// Ends the context and makes spin() return. Any thread may call it. Returns false if it was not running.
bool shutdown();

/// Runs the callbacks of the node in this thread until shutdown(). Rethrows the exception of a callback.
/// Throws std::runtime_error if the node is being spun already.
void spin(std::shared_ptr<Node> node);

}  // namespace rclcpp
