// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <rcl_interfaces/msg/list_parameters_result.hpp>
#include <rcl_interfaces/msg/parameter_event.hpp>
#include <rcl_interfaces/msg/set_parameters_result.hpp>
#include <string>
#include <vector>

#include "core.hpp"

namespace rclcpp
{

namespace detail
{

using SetResult = rcl_interfaces::msg::SetParametersResult;

/// Returns the values of command lines and parameter files for that node.
std::map<std::string, ParameterValue> parameter_overrides(
  const rcl_arguments_t & arguments, const std::string & node_name);

/// The beginning of a reason that reports a wrong type.
inline constexpr auto wrong_type = "Wrong parameter type";

/// Returns whether the value has the type and range of the descriptor.
SetResult comply(
  const rcl_interfaces::msg::ParameterDescriptor & descriptor, const Parameter & parameter);
SetResult accepted();
SetResult rejected(const std::string & reason);

}  // namespace detail

/// The parameters of one node, with the six services that read and set them.
class Node::Parameters : public node_interfaces::NodeParametersInterface
{
public:
  using Descriptor = rcl_interfaces::msg::ParameterDescriptor;
  using Names = std::vector<std::string>;

  explicit Parameters(detail::NodeCore & core);

  const std::map<std::string, ParameterValue> & get_parameter_overrides() const override
  {
    return overrides_;
  }
  const ParameterValue & declare(
    const std::string & name, const ParameterValue & default_value, Descriptor descriptor,
    bool ignore_override);
  bool has(const std::string & name) const;
  /// These throw std::runtime_error for a parameter that hasn't been declared.
  Parameter get(const std::string & name) const;
  Descriptor describe(const std::string & name) const;
  /// Sets all of them or none.
  detail::SetResult set(const std::vector<Parameter> & parameters);
  rcl_interfaces::msg::ListParametersResult list(const Names & prefixes, std::uint64_t depth) const;

  std::function<void(const Parameter &)> on_change = [](const Parameter &) {};
  std::weak_ptr<node_interfaces::OnSetParametersCallbackHandle> may_set;

private:
  struct Info
  {
    ParameterValue value;
    Descriptor descriptor;
  };

  const Info & info(const std::string & name) const;
  void publish(rcl_interfaces::msg::ParameterEvent event);
  template <typename ServiceT, typename AnswerT>
  void serve(const std::string & name, AnswerT answer);
  void start_services();

  detail::NodeCore & core_;
  const std::string node_name_;
  mutable std::recursive_mutex mutex_;
  std::map<std::string, ParameterValue> overrides_;
  std::map<std::string, Info> parameters_;
  Publisher<rcl_interfaces::msg::ParameterEvent> events_;
  std::vector<std::shared_ptr<detail::Entity>> services_;
};

}  // namespace rclcpp
