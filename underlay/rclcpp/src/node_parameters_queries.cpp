// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "rclcpp/node_interfaces/node_parameters_interface.hpp"

namespace rclcpp::node_interfaces
{

std::vector<Parameter> NodeParametersInterface::get_parameters(
  const std::vector<std::string> & names) const
{
  const std::lock_guard lock(mutex_);
  std::vector<Parameter> parameters;
  for (const auto & name : names) parameters.push_back(get_parameter(name));
  return parameters;
}

Parameter NodeParametersInterface::get_parameter(const std::string & name) const
{
  const std::lock_guard lock(mutex_);
  const auto found = parameters_.find(name);
  if (found == parameters_.end()) {
    if (allow_undeclared_) return Parameter(name);
    throw exceptions::ParameterNotDeclaredException(name);
  }
  const auto & [value, descriptor] = found->second;
  if (value.get_type() == PARAMETER_NOT_SET && !descriptor.dynamic_typing) {
    throw exceptions::ParameterUninitializedException(name);
  }
  return Parameter(name, value);
}

bool NodeParametersInterface::get_parameter(const std::string & name, Parameter & parameter) const
{
  const std::lock_guard lock(mutex_);
  const auto found = parameters_.find(name);
  if (found == parameters_.end() || found->second.value.get_type() == PARAMETER_NOT_SET) {
    return false;
  }
  parameter = Parameter(name, found->second.value);
  return true;
}

bool NodeParametersInterface::get_parameters_by_prefix(
  const std::string & prefix, std::map<std::string, Parameter> & parameters) const
{
  const std::lock_guard lock(mutex_);
  const std::string start = prefix.empty() ? prefix : prefix + ".";
  bool any = false;
  for (const auto & [name, info] : parameters_) {
    if (!name.starts_with(start) || name.size() == start.size()) continue;
    parameters[name.substr(start.size())] = Parameter(name, info.value);
    any = true;
  }
  return any;
}

std::vector<NodeParametersInterface::Descriptor> NodeParametersInterface::describe_parameters(
  const std::vector<std::string> & names) const
{
  const std::lock_guard lock(mutex_);
  std::vector<Descriptor> descriptors;
  for (const auto & name : names) {
    const auto found = parameters_.find(name);
    if (found != parameters_.end()) {
      descriptors.push_back(found->second.descriptor);
    } else if (allow_undeclared_) {
      descriptors.emplace_back().name = name;
    } else {
      throw exceptions::ParameterNotDeclaredException(name);
    }
  }
  return descriptors;
}

std::vector<uint8_t> NodeParametersInterface::get_parameter_types(
  const std::vector<std::string> & names) const
{
  const std::lock_guard lock(mutex_);
  std::vector<uint8_t> types;
  for (const auto & name : names) {
    const auto found = parameters_.find(name);
    if (found != parameters_.end()) {
      types.push_back(found->second.value.get_type());
    } else if (allow_undeclared_) {
      types.push_back(PARAMETER_NOT_SET);
    } else {
      throw exceptions::ParameterNotDeclaredException(name);
    }
  }
  return types;
}

rcl_interfaces::msg::ListParametersResult NodeParametersInterface::list_parameters(
  const std::vector<std::string> & prefixes, uint64_t depth) const
{
  const auto shallow_enough = [depth](const std::string & name) {
    // Depth 0 stands for any depth.
    return depth == 0 || static_cast<uint64_t>(std::count(name.begin(), name.end(), '.')) < depth;
  };
  const auto is_wanted = [&](const std::string & name) {
    if (prefixes.empty()) return shallow_enough(name);
    return std::any_of(prefixes.begin(), prefixes.end(), [&](const std::string & prefix) {
      return name == prefix ||
             (name.starts_with(prefix + ".") && shallow_enough(name.substr(prefix.size() + 1)));
    });
  };
  const std::lock_guard lock(mutex_);
  rcl_interfaces::msg::ListParametersResult result;
  for (const auto & [name, info] : parameters_) {
    if (!is_wanted(name)) continue;
    result.names.push_back(name);
    const auto last = name.rfind('.');
    if (last == std::string::npos) continue;
    const auto prefix = name.substr(0, last);
    auto & known = result.prefixes;
    if (std::find(known.begin(), known.end(), prefix) == known.end()) known.push_back(prefix);
  }
  return result;
}

}  // namespace rclcpp::node_interfaces
