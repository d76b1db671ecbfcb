// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcl/node_options.h>

#include <memory>
#include <string>
#include <vector>

#include "rclcpp/context.hpp"
#include "rclcpp/parameter.hpp"
#include "rclcpp/qos.hpp"

namespace rclcpp
{

/// How a node is made. Every setter returns the object itself.
class NodeOptions
{
public:
  using StringList = std::vector<std::string>;
  using ParameterList = std::vector<Parameter>;

  Context::SharedPtr context() const { return context_; }
  NodeOptions & context(Context::SharedPtr value) { return set(context_, std::move(value)); }

  /// ROS arguments for this node alone, such as {"--ros-args", "-p", "rate:=2.0"}.
  const StringList & arguments() const { return arguments_; }
  NodeOptions & arguments(const StringList & value) { return set(arguments_, value); }

  ParameterList & parameter_overrides() { return parameter_overrides_; }
  const ParameterList & parameter_overrides() const { return parameter_overrides_; }
  NodeOptions & parameter_overrides(const ParameterList & value)
  {
    return set(parameter_overrides_, value);
  }
  template <typename ParameterT>
  NodeOptions & append_parameter_override(const std::string & name, const ParameterT & value)
  {
    parameter_overrides_.emplace_back(name, ParameterValue(value));
    return *this;
  }

  bool use_global_arguments() const { return use_global_arguments_; }
  NodeOptions & use_global_arguments(bool value) { return set(use_global_arguments_, value); }

  bool enable_rosout() const { return enable_rosout_; }
  NodeOptions & enable_rosout(bool value) { return set(enable_rosout_, value); }

  /// Accepted and remembered; messages always go through the middleware.
  bool use_intra_process_comms() const { return use_intra_process_comms_; }
  NodeOptions & use_intra_process_comms(bool value) { return set(use_intra_process_comms_, value); }

  bool start_parameter_services() const { return start_parameter_services_; }
  NodeOptions & start_parameter_services(bool value)
  {
    return set(start_parameter_services_, value);
  }

  bool start_parameter_event_publisher() const { return start_parameter_event_publisher_; }
  NodeOptions & start_parameter_event_publisher(bool value)
  {
    return set(start_parameter_event_publisher_, value);
  }

  const rcl_clock_type_t & clock_type() const { return clock_type_; }
  NodeOptions & clock_type(const rcl_clock_type_t & value) { return set(clock_type_, value); }

  const QoS & clock_qos() const { return clock_qos_; }
  NodeOptions & clock_qos(const QoS & value) { return set(clock_qos_, value); }

  /// Accepted and remembered; /clock is served by the executor that spins the node.
  bool use_clock_thread() const { return use_clock_thread_; }
  NodeOptions & use_clock_thread(bool value) { return set(use_clock_thread_, value); }

  const QoS & parameter_event_qos() const { return parameter_event_qos_; }
  NodeOptions & parameter_event_qos(const QoS & value) { return set(parameter_event_qos_, value); }

  const QoS & rosout_qos() const { return rosout_qos_; }
  NodeOptions & rosout_qos(const QoS & value) { return set(rosout_qos_, value); }

  bool allow_undeclared_parameters() const { return allow_undeclared_parameters_; }
  NodeOptions & allow_undeclared_parameters(bool value)
  {
    return set(allow_undeclared_parameters_, value);
  }

  bool automatically_declare_parameters_from_overrides() const { return automatically_declare_; }
  NodeOptions & automatically_declare_parameters_from_overrides(bool value)
  {
    return set(automatically_declare_, value);
  }

  /// The same for rcl; throws where `arguments` aren't valid.
  std::shared_ptr<const rcl_node_options_t> to_rcl() const;

private:
  template <typename T>
  NodeOptions & set(T & field, T value)
  {
    field = std::move(value);
    return *this;
  }

  Context::SharedPtr context_ = contexts::get_global_default_context();
  StringList arguments_;
  ParameterList parameter_overrides_;
  bool use_global_arguments_ = true;
  bool enable_rosout_ = true;
  bool use_intra_process_comms_ = false;
  bool start_parameter_services_ = true;
  bool start_parameter_event_publisher_ = true;
  rcl_clock_type_t clock_type_ = RCL_ROS_TIME;
  QoS clock_qos_ = ClockQoS();
  bool use_clock_thread_ = true;
  QoS parameter_event_qos_ = ParameterEventsQoS();
  QoS rosout_qos_ = RosoutQoS();
  bool allow_undeclared_parameters_ = false;
  bool automatically_declare_ = false;
};

}  // namespace rclcpp
