// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <rcl_yaml_param_parser/parser.h>
#include <rcl_yaml_param_parser/types.h>

#include <cmath>
#include <limits>
#include <span>
#include <sstream>
#include <stdexcept>

#include "parameters.hpp"

namespace rclcpp::detail
{

namespace
{

ParameterValue value_of(const rcl_variant_t & value)
{
  rcl_interfaces::msg::ParameterValue message;
  const auto take = [&message](ParameterType type, auto & field, const auto & list) {
    message.type = type;
    field.assign(list.values, list.values + list.size);
    return ParameterValue(message);
  };
  if (value.bool_value) return ParameterValue(*value.bool_value);
  if (value.integer_value) return ParameterValue(*value.integer_value);
  if (value.double_value) return ParameterValue(*value.double_value);
  if (value.string_value) return ParameterValue(value.string_value);
  if (value.byte_array_value)
    return take(PARAMETER_BYTE_ARRAY, message.byte_array_value, *value.byte_array_value);
  if (value.bool_array_value)
    return take(PARAMETER_BOOL_ARRAY, message.bool_array_value, *value.bool_array_value);
  if (value.integer_array_value)
    return take(PARAMETER_INTEGER_ARRAY, message.integer_array_value, *value.integer_array_value);
  if (value.double_array_value)
    return take(PARAMETER_DOUBLE_ARRAY, message.double_array_value, *value.double_array_value);
  if (value.string_array_value) {
    const auto & list = *value.string_array_value;
    return ParameterValue(std::vector<std::string>(list.data, list.data + list.size));
  }
  throw std::runtime_error("No parameter value set");
}

std::vector<std::string> segments(const std::string & path)
{
  std::vector<std::string> names;
  std::istringstream stream(path);
  for (std::string name; std::getline(stream, name, '/');) {
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

/// Returns whether the pattern matches: `*` stands for one name and `**` for any number of them.
bool matches(std::span<const std::string> pattern, std::span<const std::string> names)
{
  if (pattern.empty()) return names.empty();
  const auto rest = pattern.subspan(1);
  if (pattern.front() == "**") {
    return matches(rest, names) || (!names.empty() && matches(pattern, names.subspan(1)));
  }
  const bool first_fits =
    !names.empty() && (pattern.front() == "*" || pattern.front() == names.front());
  return first_fits && matches(rest, names.subspan(1));
}

bool nearly_equal(double a, double b)
{
  constexpr double tolerance = 100.0 * std::numeric_limits<double>::epsilon();
  return std::abs(a - b) <= tolerance * std::abs(a + b);
}

/// The ends always belong to the range, even if no step leads to the upper one.
bool in_range(const rcl_interfaces::msg::IntegerRange & range, std::int64_t value)
{
  if (value == range.from_value || value == range.to_value) return true;
  if (value < range.from_value || value > range.to_value) return false;
  if (range.step == 0) return true;
  const auto above =
    static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(range.from_value);
  return above % range.step == 0;
}

bool in_range(const rcl_interfaces::msg::FloatingPointRange & range, double value)
{
  if (nearly_equal(value, range.from_value) || nearly_equal(value, range.to_value)) return true;
  if (value < range.from_value || value > range.to_value) return false;
  if (range.step == 0.0) return true;
  const double steps = std::round((value - range.from_value) / range.step);
  return nearly_equal(value, range.from_value + steps * range.step);
}

SetResult out_of_range(const std::string & name, const std::string & kind)
{
  return rejected("Parameter {" + name + "} doesn't comply with " + kind + " range.");
}

}  // namespace

std::map<std::string, ParameterValue> parameter_overrides(
  const rcl_arguments_t & arguments, const std::string & node_name)
{
  std::map<std::string, ParameterValue> overrides;
  rcl_params_t * found = nullptr;
  check(
    rcl_arguments_get_param_overrides(&arguments, &found), "failed to read parameter overrides");
  if (found == nullptr) return overrides;
  const std::unique_ptr<rcl_params_t, void (*)(rcl_params_t *)> params(
    found, rcl_yaml_node_struct_fini);
  const auto names = segments(node_name);
  for (std::size_t i = 0; i < params->num_nodes; ++i) {
    if (!matches(segments(params->node_names[i]), names)) continue;
    const auto & node = params->params[i];
    for (std::size_t j = 0; j < node.num_params; ++j) {
      overrides[node.parameter_names[j]] = value_of(node.parameter_values[j]);
    }
  }
  return overrides;
}

SetResult accepted()
{
  SetResult result;
  result.successful = true;
  return result;
}

SetResult rejected(const std::string & reason)
{
  SetResult result;
  result.reason = reason;
  return result;
}

SetResult comply(
  const rcl_interfaces::msg::ParameterDescriptor & descriptor, const Parameter & parameter)
{
  const auto & name = parameter.get_name();
  const auto & value = parameter.get_parameter_value();
  const auto wanted = static_cast<ParameterType>(descriptor.type);
  if (wanted != value.get_type()) {
    return rejected(
      std::string(wrong_type) + ", parameter {" + name + "} is of type {" + to_string(wanted) +
      "}, setting it to {" + to_string(value.get_type()) + "} is not allowed.");
  }
  const auto & integers = descriptor.integer_range;
  const auto & doubles = descriptor.floating_point_range;
  if (
    wanted == PARAMETER_INTEGER && !integers.empty() &&
    !in_range(integers.front(), value.get<std::int64_t>()))
  {
    return out_of_range(name, "integer");
  }
  if (
    wanted == PARAMETER_DOUBLE && !doubles.empty() &&
    !in_range(doubles.front(), value.get<double>()))
  {
    return out_of_range(name, "floating point");
  }
  return accepted();
}

}  // namespace rclcpp::detail
