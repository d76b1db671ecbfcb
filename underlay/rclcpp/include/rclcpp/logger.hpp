// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcutils/logging.h>

#include <string>

namespace rclcpp
{

/// A name under which messages are logged, with a level of its own.
class Logger
{
public:
  enum class Level
  {
    Unset = RCUTILS_LOG_SEVERITY_UNSET,
    Debug = RCUTILS_LOG_SEVERITY_DEBUG,
    Info = RCUTILS_LOG_SEVERITY_INFO,
    Warn = RCUTILS_LOG_SEVERITY_WARN,
    Error = RCUTILS_LOG_SEVERITY_ERROR,
    Fatal = RCUTILS_LOG_SEVERITY_FATAL,
  };

  Logger(const Logger &) = default;

  const char * get_name() const { return name_.c_str(); }
  Logger get_child(const std::string & suffix) { return Logger(name_ + "." + suffix); }
  void set_level(Level level);
  Level get_effective_level() const;

private:
  friend Logger get_logger(const std::string & name);
  explicit Logger(std::string name) : name_(std::move(name)) {}

  std::string name_;
};

Logger get_logger(const std::string & name);

}  // namespace rclcpp
