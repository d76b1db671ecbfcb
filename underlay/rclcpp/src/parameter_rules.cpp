// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "parameter_rules.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace rclcpp::detail
{

namespace
{

using Descriptor = rcl_interfaces::msg::ParameterDescriptor;

bool nearly_equal(double a, double b)
{
  constexpr double tolerance = 100.0 * std::numeric_limits<double>::epsilon();
  return std::abs(a - b) <= tolerance * std::abs(a + b);
}

/// The ends always belong to the range, even where no step leads to the upper one.
bool in_range(const rcl_interfaces::msg::IntegerRange & range, int64_t value)
{
  if (value == range.from_value || value == range.to_value) return true;
  if (value < range.from_value || value > range.to_value) return false;
  if (range.step == 0) return true;
  const auto above = static_cast<uint64_t>(value) - static_cast<uint64_t>(range.from_value);
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

std::string out_of_range(const std::string & name, const char * kind)
{
  return "Parameter {" + name + "} doesn't comply with " + kind + " range.";
}

}  // namespace

rcl_interfaces::msg::SetParametersResult accepted()
{
  rcl_interfaces::msg::SetParametersResult result;
  result.successful = true;
  return result;
}

rcl_interfaces::msg::SetParametersResult refused(std::string reason)
{
  rcl_interfaces::msg::SetParametersResult result;
  result.successful = false;
  result.reason = std::move(reason);
  return result;
}

rcl_interfaces::msg::SetParametersResult comply(
  const Descriptor & descriptor, const Parameter & parameter)
{
  const auto & name = parameter.get_name();
  const auto type = parameter.get_type();
  const auto wanted = static_cast<ParameterType>(descriptor.type);
  if (!descriptor.dynamic_typing && wanted != type) {
    return refused(
      std::string(wrong_type) + ", parameter {" + name + "} is of type {" + to_string(wanted) +
      "}, setting it to {" + to_string(type) + "} is not allowed.");
  }
  if (
    type == PARAMETER_INTEGER && !descriptor.integer_range.empty() &&
    !in_range(descriptor.integer_range.front(), parameter.as_int()))
  {
    return refused(out_of_range(name, "integer"));
  }
  if (
    type == PARAMETER_DOUBLE && !descriptor.floating_point_range.empty() &&
    !in_range(descriptor.floating_point_range.front(), parameter.as_double()))
  {
    return refused(out_of_range(name, "floating point"));
  }
  return accepted();
}

}  // namespace rclcpp::detail
