// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <rcl_interfaces/msg/list_parameters_result.hpp>
#include <rcl_interfaces/msg/parameter_descriptor.hpp>
#include <rcl_interfaces/msg/parameter_event.hpp>
#include <rcl_interfaces/msg/set_parameters_result.hpp>
#include <string>
#include <vector>

#include "rclcpp/clock.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/node_options.hpp"
#include "rclcpp/parameter.hpp"
#include "rclcpp/publisher.hpp"

namespace rclcpp::node_interfaces
{

struct PreSetParametersCallbackHandle
{
  RCLCPP_SMART_PTR_DEFINITIONS(PreSetParametersCallbackHandle)
  using PreSetParametersCallbackType = std::function<void(std::vector<Parameter> &)>;
  PreSetParametersCallbackType callback;
};

struct OnSetParametersCallbackHandle
{
  RCLCPP_SMART_PTR_DEFINITIONS(OnSetParametersCallbackHandle)
  using OnSetParametersCallbackType =
    std::function<rcl_interfaces::msg::SetParametersResult(const std::vector<Parameter> &)>;
  OnSetParametersCallbackType callback;
};

struct PostSetParametersCallbackHandle
{
  RCLCPP_SMART_PTR_DEFINITIONS(PostSetParametersCallbackHandle)
  using PostSetParametersCallbackType = std::function<void(const std::vector<Parameter> &)>;
  PostSetParametersCallbackType callback;
};

/// The parameters of one node: declared ones, their rules, and who is asked and told.
class NodeParametersInterface
{
public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(NodeParametersInterface)
  RCLCPP_DISABLE_COPY(NodeParametersInterface)
  using Descriptor = rcl_interfaces::msg::ParameterDescriptor;
  using Result = rcl_interfaces::msg::SetParametersResult;

  NodeParametersInterface(
    NodeBaseInterface & node, Clock::SharedPtr clock, const NodeOptions & options,
    const rcl_node_options_t & rcl_options);

  /// `type` is what the parameter must be; PARAMETER_NOT_SET leaves that to the default value.
  const ParameterValue & declare(
    const std::string & name, ParameterType type, const ParameterValue & default_value,
    Descriptor descriptor, bool ignore_override);
  void undeclare_parameter(const std::string & name);
  bool has_parameter(const std::string & name) const;

  std::vector<Result> set_parameters(const std::vector<Parameter> & parameters);
  Result set_parameters_atomically(const std::vector<Parameter> & parameters);

  Parameter get_parameter(const std::string & name) const;
  bool get_parameter(const std::string & name, Parameter & parameter) const;
  std::vector<Parameter> get_parameters(const std::vector<std::string> & names) const;
  bool get_parameters_by_prefix(
    const std::string & prefix, std::map<std::string, Parameter> & parameters) const;
  std::vector<Descriptor> describe_parameters(const std::vector<std::string> & names) const;
  std::vector<uint8_t> get_parameter_types(const std::vector<std::string> & names) const;
  rcl_interfaces::msg::ListParametersResult list_parameters(
    const std::vector<std::string> & prefixes, uint64_t depth) const;
  const std::map<std::string, ParameterValue> & get_parameter_overrides() const
  {
    return overrides_;
  }

  /// A callback stays for as long as its handle is held; the newest is called first.
  PreSetParametersCallbackHandle::SharedPtr add_pre_set_parameters_callback(
    PreSetParametersCallbackHandle::PreSetParametersCallbackType callback);
  OnSetParametersCallbackHandle::SharedPtr add_on_set_parameters_callback(
    OnSetParametersCallbackHandle::OnSetParametersCallbackType callback);
  PostSetParametersCallbackHandle::SharedPtr add_post_set_parameters_callback(
    PostSetParametersCallbackHandle::PostSetParametersCallbackType callback);
  void remove_pre_set_parameters_callback(const PreSetParametersCallbackHandle * handle);
  void remove_on_set_parameters_callback(const OnSetParametersCallbackHandle * handle);
  void remove_post_set_parameters_callback(const PostSetParametersCallbackHandle * handle);

private:
  struct Info
  {
    ParameterValue value;
    Descriptor descriptor;
  };
  class MutationGuard;

  Result accept(const std::vector<Parameter> & parameters);
  void publish(rcl_interfaces::msg::ParameterEvent event);
  std::vector<std::shared_ptr<detail::Entity>> make_services(NodeBaseInterface & node);

  mutable std::recursive_mutex mutex_;
  bool mutation_allowed_ = true;
  std::string node_name_;
  Clock::SharedPtr clock_;
  bool allow_undeclared_;
  std::map<std::string, ParameterValue> overrides_;
  std::map<std::string, Info> parameters_;
  std::list<PreSetParametersCallbackHandle::WeakPtr> pre_set_;
  std::list<OnSetParametersCallbackHandle::WeakPtr> on_set_;
  std::list<PostSetParametersCallbackHandle::WeakPtr> post_set_;
  Publisher<rcl_interfaces::msg::ParameterEvent>::SharedPtr events_;
  std::vector<std::shared_ptr<detail::Entity>> services_;
};

}  // namespace rclcpp::node_interfaces
