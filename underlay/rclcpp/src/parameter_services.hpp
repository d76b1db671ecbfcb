// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <vector>

#include "rclcpp/node_interfaces/node_parameters_interface.hpp"

namespace rclcpp::detail
{

/// The six services through which other processes read and set the node's parameters.
std::vector<std::shared_ptr<Entity>> make_parameter_services(
  node_interfaces::NodeBaseInterface & node, node_interfaces::NodeParametersInterface & parameters);

}  // namespace rclcpp::detail
