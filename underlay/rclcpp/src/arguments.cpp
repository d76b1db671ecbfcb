// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "arguments.hpp"

#include <rcl_yaml_param_parser/parser.h>
#include <rcl_yaml_param_parser/types.h>

#include <memory>
#include <span>
#include <sstream>

#include "rcl_check.hpp"
#include "rclcpp/exceptions.hpp"
#include "rclcpp/utilities.hpp"

namespace rclcpp
{

namespace detail
{

namespace
{

ParameterValue value_of(const rcl_variant_t & value)
{
  const auto array = [](const auto & list, auto element) {
    return ParameterValue(std::vector<decltype(element)>(list.values, list.values + list.size));
  };
  if (value.bool_value) return ParameterValue(*value.bool_value);
  if (value.integer_value) return ParameterValue(*value.integer_value);
  if (value.double_value) return ParameterValue(*value.double_value);
  if (value.string_value) return ParameterValue(value.string_value);
  if (value.byte_array_value) return array(*value.byte_array_value, uint8_t{});
  if (value.bool_array_value) return array(*value.bool_array_value, bool{});
  if (value.integer_array_value) return array(*value.integer_array_value, int64_t{});
  if (value.double_array_value) return array(*value.double_array_value, double{});
  if (value.string_array_value) {
    const auto & list = *value.string_array_value;
    return ParameterValue(std::vector<std::string>(list.data, list.data + list.size));
  }
  throw exceptions::InvalidParameterValueException("No parameter value set");
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

/// In a parameter file `*` stands for one name and `**` for any number of them.
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

}  // namespace

void refuse_unknown_ros_arguments(
  int argc, char const * const * argv, const rcl_arguments_t & arguments)
{
  const int count = rcl_arguments_get_count_unparsed_ros(&arguments);
  if (count <= 0) return;
  const auto allocator = rcl_get_default_allocator();
  int * indices = nullptr;
  check(
    rcl_arguments_get_unparsed_ros(&arguments, allocator, &indices), "failed to read arguments");
  std::vector<std::string> unknown;
  for (int i = 0; i < count; ++i) {
    if (indices[i] < argc) unknown.emplace_back(argv[indices[i]]);
  }
  allocator.deallocate(indices, allocator.state);
  throw exceptions::UnknownROSArgsError(std::move(unknown));
}

void read_parameter_overrides(
  const rcl_arguments_t & arguments, const std::string & node_name,
  std::map<std::string, ParameterValue> & overrides)
{
  rcl_params_t * found = nullptr;
  check(
    rcl_arguments_get_param_overrides(&arguments, &found), "failed to read parameter overrides");
  if (found == nullptr) return;
  const std::unique_ptr<rcl_params_t, void (*)(rcl_params_t *)> params(
    found, rcl_yaml_node_struct_fini);
  const auto names = segments(node_name);
  for (size_t i = 0; i < params->num_nodes; ++i) {
    if (!matches(segments(params->node_names[i]), names)) continue;
    const auto & node = params->params[i];
    for (size_t j = 0; j < node.num_params; ++j) {
      overrides[node.parameter_names[j]] = value_of(node.parameter_values[j]);
    }
  }
}

}  // namespace detail

std::vector<std::string> remove_ros_arguments(int argc, char const * const * argv)
{
  const auto allocator = rcl_get_default_allocator();
  auto parsed = rcl_get_zero_initialized_arguments();
  detail::check(rcl_parse_arguments(argc, argv, allocator, &parsed), "failed to parse arguments");
  int count = 0;
  const char ** kept = nullptr;
  const auto ret = rcl_remove_ros_arguments(argv, &parsed, allocator, &count, &kept);
  std::vector<std::string> result;
  if (kept != nullptr) {
    result.assign(kept, kept + count);
    allocator.deallocate(kept, allocator.state);
  }
  if (rcl_arguments_fini(&parsed) != RCL_RET_OK) rcl_reset_error();
  detail::check(ret, "failed to remove ROS arguments");
  return result;
}

}  // namespace rclcpp
