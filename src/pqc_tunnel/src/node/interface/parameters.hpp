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

// The tunnel's parameters among the node's overrides; those of ROS itself and of the diagnostics
// are left out.
Result<ParameterValues> tunnel_parameters(
  const std::map<std::string, rclcpp::ParameterValue> & overrides);

// Declares every parameter of the role with its description and range, and the given value or its
// default. The values must have been checked (make_engine_config).
void declare_tunnel_parameters(rclcpp::Node & node, Role role, const ParameterValues & values);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NODE__INTERFACE__PARAMETERS_HPP_
