// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcutils/logging_macros.h>

#include <string>
#include <type_traits>
#include <utility>

namespace rclcpp
{

/// A name under which messages are logged.
class Logger
{
public:
  const char * get_name() const { return name_.c_str(); }

private:
  friend class Node;
  explicit Logger(std::string name) : name_(std::move(name)) {}

  std::string name_;
};

}  // namespace rclcpp

#define RCLCPP_LOG_(SEVERITY, logger, ...)                            \
  do {                                                                \
    static_assert(                                                    \
      ::std::is_convertible_v<decltype(logger), ::rclcpp::Logger>,    \
      "the first argument of a logging macro must be a Logger");      \
    RCUTILS_LOG_##SEVERITY##_NAMED((logger).get_name(), __VA_ARGS__); \
  } while (0)

#define RCLCPP_INFO(logger, ...) RCLCPP_LOG_(INFO, logger, __VA_ARGS__)
#define RCLCPP_WARN(logger, ...) RCLCPP_LOG_(WARN, logger, __VA_ARGS__)
#define RCLCPP_ERROR(logger, ...) RCLCPP_LOG_(ERROR, logger, __VA_ARGS__)
