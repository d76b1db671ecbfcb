// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rclcpp/client.hpp"
#include "rclcpp/clock.hpp"
#include "rclcpp/logger.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/node_interfaces/node_parameters_interface.hpp"
#include "rclcpp/node_options.hpp"
#include "rclcpp/parameter.hpp"
#include "rclcpp/publisher.hpp"
#include "rclcpp/service.hpp"
#include "rclcpp/subscription.hpp"
#include "rclcpp/timer.hpp"

namespace rclcpp
{

/// A participant of the ROS graph: topics, services, timers, parameters, a clock and a logger.
class Node : public std::enable_shared_from_this<Node>
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(Node)
  RCLCPP_DISABLE_COPY(Node)

  using ParameterDescriptor = rcl_interfaces::msg::ParameterDescriptor;
  using SetParametersResult = rcl_interfaces::msg::SetParametersResult;
  using NamesAndTypes = std::map<std::string, std::vector<std::string>>;
  using PreSetParametersCallbackHandle = node_interfaces::PreSetParametersCallbackHandle;
  using PreSetParametersCallbackType = PreSetParametersCallbackHandle::PreSetParametersCallbackType;
  using OnSetParametersCallbackHandle = node_interfaces::OnSetParametersCallbackHandle;
  using OnSetParametersCallbackType = OnSetParametersCallbackHandle::OnSetParametersCallbackType;
  using PostSetParametersCallbackHandle = node_interfaces::PostSetParametersCallbackHandle;
  using PostSetParametersCallbackType =
    PostSetParametersCallbackHandle::PostSetParametersCallbackType;

  explicit Node(const std::string & name, const NodeOptions & options = NodeOptions());
  explicit Node(
    const std::string & name, const std::string & name_space,
    const NodeOptions & options = NodeOptions());
  virtual ~Node();

  const char * get_name() const { return base_->get_name(); }
  const char * get_namespace() const { return base_->get_namespace(); }
  const char * get_fully_qualified_name() const { return base_->get_fully_qualified_name(); }
  const std::string & get_effective_namespace() const { return effective_namespace_; }
  Logger get_logger() const;
  Clock::SharedPtr get_clock() { return clock_; }
  Clock::ConstSharedPtr get_clock() const { return clock_; }
  Time now() const { return clock_->now(); }
  const NodeOptions & get_node_options() const { return options_; }

  CallbackGroup::SharedPtr create_callback_group(CallbackGroupType type)
  {
    return base_->create_callback_group(type);
  }

  template <typename MessageT>
  typename Publisher<MessageT>::SharedPtr create_publisher(
    const std::string & topic, const QoS & qos, const PublisherOptions & = PublisherOptions())
  {
    return std::make_shared<Publisher<MessageT>>(*base_, topic, qos);
  }

  template <typename MessageT, typename CallbackT>
  typename Subscription<MessageT>::SharedPtr create_subscription(
    const std::string & topic, const QoS & qos, CallbackT && callback,
    const SubscriptionOptions & options = SubscriptionOptions())
  {
    return added(std::make_shared<Subscription<MessageT>>(
      *base_, topic, qos, std::forward<CallbackT>(callback), options));
  }

  template <typename ServiceT, typename CallbackT>
  typename Service<ServiceT>::SharedPtr create_service(
    const std::string & name, CallbackT && callback, const QoS & qos = ServicesQoS(),
    CallbackGroup::SharedPtr group = nullptr)
  {
    return added(std::make_shared<Service<ServiceT>>(
      *base_, name, std::forward<CallbackT>(callback), qos, std::move(group)));
  }

  template <typename ServiceT>
  typename Client<ServiceT>::SharedPtr create_client(
    const std::string & name, const QoS & qos = ServicesQoS(),
    CallbackGroup::SharedPtr group = nullptr)
  {
    return added(std::make_shared<Client<ServiceT>>(*base_, name, qos, std::move(group)));
  }

  /// A timer by the steady clock, whatever /clock says.
  template <typename Rep, typename Period, typename CallbackT>
  TimerBase::SharedPtr create_wall_timer(
    std::chrono::duration<Rep, Period> period, CallbackT && callback,
    CallbackGroup::SharedPtr group = nullptr, bool autostart = true)
  {
    return make_timer(
      steady_clock(), std::chrono::duration_cast<std::chrono::nanoseconds>(period),
      detail::timer_callback(std::forward<CallbackT>(callback)), std::move(group), autostart);
  }

  /// A timer by the node's own clock.
  template <typename Rep, typename Period, typename CallbackT>
  TimerBase::SharedPtr create_timer(
    std::chrono::duration<Rep, Period> period, CallbackT && callback,
    CallbackGroup::SharedPtr group = nullptr, bool autostart = true)
  {
    return make_timer(
      *clock_, std::chrono::duration_cast<std::chrono::nanoseconds>(period),
      detail::timer_callback(std::forward<CallbackT>(callback)), std::move(group), autostart);
  }

  TimerBase::SharedPtr make_timer(
    const Clock & clock, std::chrono::nanoseconds period, TimerBase::Callback callback,
    CallbackGroup::SharedPtr group, bool autostart);

  const ParameterValue & declare_parameter(
    const std::string & name, const ParameterValue & default_value,
    const ParameterDescriptor & descriptor = ParameterDescriptor(), bool ignore_override = false);
  const ParameterValue & declare_parameter(
    const std::string & name, ParameterType type,
    const ParameterDescriptor & descriptor = ParameterDescriptor(), bool ignore_override = false);

  template <typename ParameterT>
  auto declare_parameter(
    const std::string & name, const ParameterT & default_value,
    const ParameterDescriptor & descriptor = ParameterDescriptor(), bool ignore_override = false)
  {
    try {
      return declare_parameter(name, ParameterValue(default_value), descriptor, ignore_override)
        .template get<ParameterT>();
    } catch (const ParameterTypeException & error) {
      throw exceptions::InvalidParameterTypeException(name, error.what());
    }
  }

  /// Declares a parameter that has no default: the user must have set it.
  template <typename ParameterT>
  auto declare_parameter(
    const std::string & name, const ParameterDescriptor & descriptor = ParameterDescriptor(),
    bool ignore_override = false)
  {
    const auto type = ParameterValue{ParameterT{}}.get_type();
    try {
      return declare_parameter(name, type, descriptor, ignore_override).template get<ParameterT>();
    } catch (const ParameterTypeException &) {
      throw exceptions::UninitializedStaticallyTypedParameterException(name);
    }
  }

  template <typename ParameterT>
  std::vector<ParameterT> declare_parameters(
    const std::string & prefix, const std::map<std::string, ParameterT> & parameters,
    bool ignore_overrides = false)
  {
    std::vector<ParameterT> values;
    for (const auto & [name, value] : parameters) {
      values.push_back(static_cast<ParameterT>(declare_parameter(
        prefix.empty() ? name : prefix + "." + name, value, {}, ignore_overrides)));
    }
    return values;
  }

  void undeclare_parameter(const std::string & name) { parameters_->undeclare_parameter(name); }
  bool has_parameter(const std::string & name) const { return parameters_->has_parameter(name); }

  SetParametersResult set_parameter(const Parameter & parameter);
  std::vector<SetParametersResult> set_parameters(const std::vector<Parameter> & parameters);
  SetParametersResult set_parameters_atomically(const std::vector<Parameter> & parameters);

  Parameter get_parameter(const std::string & name) const
  {
    return parameters_->get_parameter(name);
  }
  bool get_parameter(const std::string & name, Parameter & parameter) const
  {
    return parameters_->get_parameter(name, parameter);
  }
  template <typename ParameterT>
  bool get_parameter(const std::string & name, ParameterT & value) const
  {
    Parameter parameter;
    const bool found = parameters_->get_parameter(name, parameter);
    if (found) value = static_cast<ParameterT>(parameter.template get_value<ParameterT>());
    return found;
  }
  template <typename ParameterT>
  bool get_parameter_or(
    const std::string & name, ParameterT & value, const ParameterT & alternative) const
  {
    const bool found = get_parameter(name, value);
    if (!found) value = alternative;
    return found;
  }
  template <typename ParameterT>
  ParameterT get_parameter_or(const std::string & name, const ParameterT & alternative) const
  {
    ParameterT value;
    get_parameter_or(name, value, alternative);
    return value;
  }
  std::vector<Parameter> get_parameters(const std::vector<std::string> & names) const
  {
    return parameters_->get_parameters(names);
  }
  template <typename ParameterT>
  bool get_parameters(const std::string & prefix, std::map<std::string, ParameterT> & values) const
  {
    std::map<std::string, Parameter> found;
    const bool any = parameters_->get_parameters_by_prefix(prefix, found);
    for (const auto & [name, parameter] : found) {
      values[name] = static_cast<ParameterT>(parameter.template get_value<ParameterT>());
    }
    return any;
  }
  ParameterDescriptor describe_parameter(const std::string & name) const;
  std::vector<ParameterDescriptor> describe_parameters(
    const std::vector<std::string> & names) const;
  std::vector<uint8_t> get_parameter_types(const std::vector<std::string> & names) const;
  rcl_interfaces::msg::ListParametersResult list_parameters(
    const std::vector<std::string> & prefixes, uint64_t depth) const;

  /// The callback stays for as long as the handle that is returned.
  [[nodiscard]] PreSetParametersCallbackHandle::SharedPtr add_pre_set_parameters_callback(
    PreSetParametersCallbackType callback);
  [[nodiscard]] OnSetParametersCallbackHandle::SharedPtr add_on_set_parameters_callback(
    OnSetParametersCallbackType callback);
  [[nodiscard]] PostSetParametersCallbackHandle::SharedPtr add_post_set_parameters_callback(
    PostSetParametersCallbackType callback);
  void remove_pre_set_parameters_callback(const PreSetParametersCallbackHandle * handle);
  void remove_on_set_parameters_callback(const OnSetParametersCallbackHandle * handle);
  void remove_post_set_parameters_callback(const PostSetParametersCallbackHandle * handle);

  std::vector<std::string> get_node_names() const;
  NamesAndTypes get_topic_names_and_types() const;
  NamesAndTypes get_service_names_and_types() const;
  NamesAndTypes get_service_names_and_types_by_node(
    const std::string & name, const std::string & name_space) const;
  size_t count_publishers(const std::string & topic) const;
  size_t count_subscribers(const std::string & topic) const;
  size_t count_clients(const std::string & service) const;
  size_t count_services(const std::string & service) const;

  node_interfaces::NodeBaseInterface::SharedPtr get_node_base_interface() { return base_; }
  node_interfaces::NodeParametersInterface::SharedPtr get_node_parameters_interface()
  {
    return parameters_;
  }

private:
  class TimeSource;

  static const Clock & steady_clock();

  template <typename EntityT>
  std::shared_ptr<EntityT> added(std::shared_ptr<EntityT> entity)
  {
    base_->add_entity(entity);
    return entity;
  }

  const NodeOptions options_;
  node_interfaces::NodeBaseInterface::SharedPtr base_;
  std::string effective_namespace_;
  Clock::SharedPtr clock_;
  node_interfaces::NodeParametersInterface::SharedPtr parameters_;
  std::shared_ptr<TimeSource> time_source_;
};

}  // namespace rclcpp
