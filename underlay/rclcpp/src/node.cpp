// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "rclcpp/node.hpp"

#include <stdexcept>

#include "rclcpp/utilities.hpp"
#include "time_source.hpp"

namespace rclcpp
{

Node::Node(const std::string & name, const NodeOptions & options) : Node(name, "", options) {}

Node::Node(const std::string & name, const std::string & name_space, const NodeOptions & options)
: options_(options)
{
  const auto rcl_options = options.to_rcl();
  base_ = std::make_shared<node_interfaces::NodeBaseInterface>(
    name, name_space, options.context(), *rcl_options);
  effective_namespace_ = base_->get_namespace();
  clock_ = std::make_shared<Clock>(options.clock_type());
  parameters_ = std::make_shared<node_interfaces::NodeParametersInterface>(
    *base_, clock_, options, *rcl_options);
  time_source_ = std::make_shared<TimeSource>(*this);
}

Node::~Node() = default;

Logger Node::get_logger() const
{
  const auto * name = rcl_node_get_logger_name(base_->get_rcl_node_handle());
  return rclcpp::get_logger(name != nullptr ? name : get_name());
}

const Clock & Node::steady_clock()
{
  static const Clock clock(RCL_STEADY_TIME);
  return clock;
}

TimerBase::SharedPtr Node::make_timer(
  const Clock & clock, std::chrono::nanoseconds period, TimerBase::Callback callback,
  CallbackGroup::SharedPtr group, bool autostart)
{
  return added(std::make_shared<TimerBase>(
    base_, clock, period, std::move(callback), std::move(group), autostart));
}

const ParameterValue & Node::declare_parameter(
  const std::string & name, const ParameterValue & default_value,
  const ParameterDescriptor & descriptor, bool ignore_override)
{
  return parameters_->declare(name, PARAMETER_NOT_SET, default_value, descriptor, ignore_override);
}

const ParameterValue & Node::declare_parameter(
  const std::string & name, ParameterType type, const ParameterDescriptor & descriptor,
  bool ignore_override)
{
  if (type == PARAMETER_NOT_SET) {
    throw std::invalid_argument(
      "declare_parameter(): the provided parameter type cannot be rclcpp::PARAMETER_NOT_SET");
  }
  if (descriptor.dynamic_typing) {
    throw std::invalid_argument(
      "declare_parameter(): cannot declare parameter of specific type and pass descriptor with "
      "`dynamic_typing=true`");
  }
  return parameters_->declare(name, type, ParameterValue(), descriptor, ignore_override);
}

Node::SetParametersResult Node::set_parameter(const Parameter & parameter)
{
  return parameters_->set_parameters_atomically({parameter});
}

std::vector<Node::SetParametersResult> Node::set_parameters(
  const std::vector<Parameter> & parameters)
{
  return parameters_->set_parameters(parameters);
}

Node::SetParametersResult Node::set_parameters_atomically(const std::vector<Parameter> & parameters)
{
  return parameters_->set_parameters_atomically(parameters);
}

Node::ParameterDescriptor Node::describe_parameter(const std::string & name) const
{
  return parameters_->describe_parameters({name}).front();
}

std::vector<Node::ParameterDescriptor> Node::describe_parameters(
  const std::vector<std::string> & names) const
{
  return parameters_->describe_parameters(names);
}

std::vector<uint8_t> Node::get_parameter_types(const std::vector<std::string> & names) const
{
  return parameters_->get_parameter_types(names);
}

rcl_interfaces::msg::ListParametersResult Node::list_parameters(
  const std::vector<std::string> & prefixes, uint64_t depth) const
{
  return parameters_->list_parameters(prefixes, depth);
}

Node::PreSetParametersCallbackHandle::SharedPtr Node::add_pre_set_parameters_callback(
  PreSetParametersCallbackType callback)
{
  return parameters_->add_pre_set_parameters_callback(std::move(callback));
}

Node::OnSetParametersCallbackHandle::SharedPtr Node::add_on_set_parameters_callback(
  OnSetParametersCallbackType callback)
{
  return parameters_->add_on_set_parameters_callback(std::move(callback));
}

Node::PostSetParametersCallbackHandle::SharedPtr Node::add_post_set_parameters_callback(
  PostSetParametersCallbackType callback)
{
  return parameters_->add_post_set_parameters_callback(std::move(callback));
}

void Node::remove_pre_set_parameters_callback(const PreSetParametersCallbackHandle * handle)
{
  parameters_->remove_pre_set_parameters_callback(handle);
}

void Node::remove_on_set_parameters_callback(const OnSetParametersCallbackHandle * handle)
{
  parameters_->remove_on_set_parameters_callback(handle);
}

void Node::remove_post_set_parameters_callback(const PostSetParametersCallbackHandle * handle)
{
  parameters_->remove_post_set_parameters_callback(handle);
}

}  // namespace rclcpp
