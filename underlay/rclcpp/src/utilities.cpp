// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "rclcpp/utilities.hpp"

#include "rclcpp/logger.hpp"
#include "signal_handler.hpp"

namespace rclcpp
{

namespace
{

Context::SharedPtr or_default(Context::SharedPtr context)
{
  return context ? context : contexts::get_global_default_context();
}

}  // namespace

void init(
  int argc, char const * const * argv, const InitOptions & init_options,
  SignalHandlerOptions signal_handler_options)
{
  contexts::get_global_default_context()->init(argc, argv, init_options);
  install_signal_handlers(signal_handler_options);
}

std::vector<std::string> init_and_remove_ros_arguments(
  int argc, char const * const * argv, const InitOptions & init_options)
{
  init(argc, argv, init_options);
  return remove_ros_arguments(argc, argv);
}

bool install_signal_handlers(SignalHandlerOptions signal_handler_options)
{
  return detail::SignalHandler::instance().install(signal_handler_options);
}

bool signal_handlers_installed() { return detail::SignalHandler::instance().is_installed(); }

bool uninstall_signal_handlers() { return detail::SignalHandler::instance().uninstall(); }

bool ok(Context::SharedPtr context) { return or_default(std::move(context))->is_valid(); }

bool shutdown(Context::SharedPtr context, const std::string & reason)
{
  const auto which = or_default(std::move(context));
  const bool was_valid = which->shutdown(reason);
  if (which == contexts::get_global_default_context()) uninstall_signal_handlers();
  return was_valid;
}

void on_shutdown(std::function<void()> callback, Context::SharedPtr context)
{
  or_default(std::move(context))->on_shutdown(std::move(callback));
}

bool sleep_for(const std::chrono::nanoseconds & nanoseconds, Context::SharedPtr context)
{
  return or_default(std::move(context))->sleep_for(nanoseconds);
}

Logger get_logger(const std::string & name) { return Logger(name); }

void Logger::set_level(Level level)
{
  if (rcutils_logging_set_logger_level(get_name(), static_cast<int>(level)) != RCUTILS_RET_OK) {
    rcutils_reset_error();
  }
}

Logger::Level Logger::get_effective_level() const
{
  return static_cast<Level>(rcutils_logging_get_logger_effective_level(get_name()));
}

}  // namespace rclcpp
