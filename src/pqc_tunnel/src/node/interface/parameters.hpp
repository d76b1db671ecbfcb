// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NODE__INTERFACE__PARAMETERS_HPP_
#define PQC_TUNNEL__NODE__INTERFACE__PARAMETERS_HPP_

#include <map>
#include <rclcpp/rclcpp.hpp>
#include <string>

#include "base/result.hpp"
#include "config/config.hpp"
#include "protocol/session/settings.hpp"

namespace pqc_tunnel
{

// Returns the tunnel's parameters among the node's overrides, without those of ROS and of the
// diagnostics.
Result<ParameterValues> tunnel_parameters(
  const std::map<std::string, rclcpp::ParameterValue> & overrides);

// Declares every parameter of the role with its description, its range, and the given value or its
// default. make_engine_config() must have checked the values.
void declare_tunnel_parameters(rclcpp::Node & node, Role role, const ParameterValues & values);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NODE__INTERFACE__PARAMETERS_HPP_
