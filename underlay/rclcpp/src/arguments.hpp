// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <rcl/arguments.h>

#include <map>
#include <string>
#include <vector>

#include "rclcpp/parameter.hpp"

namespace rclcpp::detail
{

/// Throws UnknownROSArgsError if rcl could make nothing of some ROS argument.
void refuse_unknown_ros_arguments(
  int argc, char const * const * argv, const rcl_arguments_t & arguments);

/// The parameter values that command lines and parameter files give to that node.
void read_parameter_overrides(
  const rcl_arguments_t & arguments, const std::string & node_name,
  std::map<std::string, ParameterValue> & overrides);

}  // namespace rclcpp::detail
