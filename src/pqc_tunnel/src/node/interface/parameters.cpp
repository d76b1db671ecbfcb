// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "parameters.hpp"

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace pqc_tunnel
{

namespace
{

std::optional<ParameterValue> from_ros(const rclcpp::ParameterValue & value)
{
  switch (value.get_type()) {
    case rclcpp::ParameterType::PARAMETER_BOOL:
      return value.get<bool>();
    case rclcpp::ParameterType::PARAMETER_INTEGER:
      return value.get<std::int64_t>();
    case rclcpp::ParameterType::PARAMETER_DOUBLE:
      return value.get<double>();
    case rclcpp::ParameterType::PARAMETER_STRING:
      return value.get<std::string>();
    case rclcpp::ParameterType::PARAMETER_STRING_ARRAY:
      return value.get<std::vector<std::string>>();
    default:
      return std::nullopt;
  }
}

rclcpp::ParameterValue to_ros(const ParameterValue & value)
{
  return std::visit([](const auto & held) { return rclcpp::ParameterValue(held); }, value);
}

// Converts a whole number to a floating-point one where a number is expected, since YAML reads 3 as whole.
ParameterValue as_type(const ParameterValue & value, ParameterType type)
{
  const auto * whole = std::get_if<std::int64_t>(&value);
  return whole != nullptr && type == ParameterType::number ? static_cast<double>(*whole) : value;
}

rcl_interfaces::msg::ParameterDescriptor descriptor_of(const ParameterSpec & spec)
{
  rcl_interfaces::msg::ParameterDescriptor descriptor;
  descriptor.description =
    spec.unit.empty() ? spec.description : spec.description + " [" + spec.unit + "]";
  descriptor.read_only = true;
  if (spec.integer_range) {
    auto & range = descriptor.integer_range.emplace_back();
    range.from_value = spec.integer_range->from;
    range.to_value = spec.integer_range->to;
    range.step = 1;
  }
  if (spec.number_range) {
    auto & range = descriptor.floating_point_range.emplace_back();
    range.from_value = spec.number_range->from;
    range.to_value = spec.number_range->to;
  }
  return descriptor;
}

}  // namespace

Result<ParameterValues> tunnel_parameters(
  const std::map<std::string, rclcpp::ParameterValue> & overrides)
{
  ParameterValues values;
  for (const auto & [name, value] : overrides) {
    // An empty list in YAML has no type: the parameter is not set.
    if (belongs_to_every_node(name) || value.get_type() == rclcpp::ParameterType::PARAMETER_NOT_SET)
    {
      continue;
    }
    const auto ours = from_ros(value);
    if (!ours) {
      return fail(
        ErrorCode::invalid_argument, "The parameter " + name + " can't be of the type " +
                                       rclcpp::to_string(value.get_type()) + ".");
    }
    values[name] = *ours;
  }
  return values;
}

void declare_tunnel_parameters(rclcpp::Node & node, Role role, const ParameterValues & values)
{
  constexpr bool ignore_override = true;
  for (const auto & spec : parameter_specs(role, values)) {
    const auto given = values.find(spec.name);
    const auto & value = given == values.end() ? spec.default_value : given->second;
    node.declare_parameter(
      spec.name, to_ros(as_type(value, spec.type)), descriptor_of(spec), ignore_override);
  }
}

}  // namespace pqc_tunnel
