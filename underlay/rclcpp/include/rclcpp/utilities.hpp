// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "rclcpp/context.hpp"

namespace rclcpp
{

enum class SignalHandlerOptions
{
  All,
  SigInt,
  SigTerm,
  None,
};

/// Starts the default context; by default SIGINT and SIGTERM end it.
void init(
  int argc, char const * const * argv, const InitOptions & init_options = InitOptions(),
  SignalHandlerOptions signal_handler_options = SignalHandlerOptions::All);

/// Starts the default context and returns the arguments that aren't ROS's.
std::vector<std::string> init_and_remove_ros_arguments(
  int argc, char const * const * argv, const InitOptions & init_options = InitOptions());

/// The arguments, program name included, without those of ROS.
std::vector<std::string> remove_ros_arguments(int argc, char const * const * argv);

bool install_signal_handlers(
  SignalHandlerOptions signal_handler_options = SignalHandlerOptions::All);
bool signal_handlers_installed();
bool uninstall_signal_handlers();

/// True until the context is shut down; a null context means the default one.
bool ok(Context::SharedPtr context = nullptr);

bool shutdown(
  Context::SharedPtr context = nullptr,
  const std::string & reason = "user called rclcpp::shutdown()");

void on_shutdown(std::function<void()> callback, Context::SharedPtr context = nullptr);

/// Sleeps until the time has passed (true) or the context is shut down (false).
bool sleep_for(const std::chrono::nanoseconds & nanoseconds, Context::SharedPtr context = nullptr);

}  // namespace rclcpp
