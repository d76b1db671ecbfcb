// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <rcl_interfaces/msg/parameter_descriptor.hpp>
#include <rcl_interfaces/msg/set_parameters_result.hpp>

#include "rclcpp/parameter.hpp"

namespace rclcpp::detail
{

/// What a result says when the type is wrong begins like this.
inline constexpr auto wrong_type = "Wrong parameter type";

/// Whether the value has the type and lies in the range that the descriptor asks for.
rcl_interfaces::msg::SetParametersResult comply(
  const rcl_interfaces::msg::ParameterDescriptor & descriptor, const Parameter & parameter);

rcl_interfaces::msg::SetParametersResult accepted();
rcl_interfaces::msg::SetParametersResult refused(std::string reason);

}  // namespace rclcpp::detail
