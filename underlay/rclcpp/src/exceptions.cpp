// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "rclcpp/exceptions.hpp"

#include <utility>

namespace rclcpp::exceptions
{

namespace
{

std::string name_error(const char * type, const char * name, const char * error, size_t index)
{
  std::string text = std::string("Invalid ") + type + ": " + error + ":\n  '" + name + "'\n   ";
  return text + std::string(index, ' ') + "^\n";
}

std::string quoted_list(const std::vector<std::string> & items)
{
  std::string text;
  for (const auto & item : items) {
    if (!text.empty()) text += "', '";
    text += item;
  }
  return text;
}

std::string after(const std::string & prefix, const std::string & message)
{
  return prefix.empty() ? message : prefix + ": " + message;
}

}  // namespace

NameValidationError::NameValidationError(
  const char * type, const char * bad_name, const char * message, size_t index)
: std::invalid_argument(name_error(type, bad_name, message, index)),
  name_type(type),
  name(bad_name),
  error_msg(message),
  invalid_index(index)
{
}

RCLErrorBase::RCLErrorBase(rcl_ret_t code, std::string text) : ret(code), message(std::move(text))
{
}

RCLError::RCLError(const RCLErrorBase & base, const std::string & prefix)
: RCLErrorBase(base), std::runtime_error(after(prefix, base.message))
{
}

RCLInvalidArgument::RCLInvalidArgument(const RCLErrorBase & base, const std::string & prefix)
: RCLErrorBase(base), std::invalid_argument(after(prefix, base.message))
{
}

RCLInvalidROSArgsError::RCLInvalidROSArgsError(
  const RCLErrorBase & base, const std::string & prefix)
: RCLErrorBase(base), std::runtime_error(after(prefix, base.message))
{
}

UnknownROSArgsError::UnknownROSArgsError(std::vector<std::string> unknown)
: std::runtime_error("found unknown ROS arguments: '" + quoted_list(unknown) + "'"),
  unknown_ros_args(std::move(unknown))
{
}

void throw_from_rcl_error(rcl_ret_t ret, const std::string & prefix)
{
  const RCLErrorBase base(ret, rcl_get_error_string().str);
  rcl_reset_error();
  switch (ret) {
    case RCL_RET_BAD_ALLOC:
      throw std::bad_alloc();
    case RCL_RET_INVALID_ARGUMENT:
      throw RCLInvalidArgument(base, prefix);
    case RCL_RET_INVALID_ROS_ARGS:
      throw RCLInvalidROSArgsError(base, prefix);
    default:
      throw RCLError(base, prefix);
  }
}

}  // namespace rclcpp::exceptions
