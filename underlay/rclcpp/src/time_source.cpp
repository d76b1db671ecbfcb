// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "time_source.hpp"

#include "parameter_rules.hpp"
#include "rcl_check.hpp"

namespace rclcpp
{

namespace
{

constexpr auto parameter_name = "use_sim_time";

}  // namespace

Node::TimeSource::TimeSource(Node & node)
: base_(*node.base_), clock_(node.clock_), qos_(node.options_.clock_qos())
{
  if (!node.has_parameter(parameter_name)) node.declare_parameter(parameter_name, false);
  follow(node.get_parameter(parameter_name).as_bool());
  before_ = node.add_on_set_parameters_callback([this](const std::vector<Parameter> & parameters) {
    for (const auto & parameter : parameters) {
      if (
        parameter.get_name() == parameter_name && parameter.get_type() == PARAMETER_BOOL &&
        parameter.as_bool() && clock_->get_clock_type() != RCL_ROS_TIME)
      {
        return detail::refused(
          "use_sim_time parameter can't be true while clocks are not all of RCL_ROS_TIME type");
      }
    }
    return detail::accepted();
  });
  after_ = node.add_post_set_parameters_callback([this](const std::vector<Parameter> & parameters) {
    for (const auto & parameter : parameters) {
      if (parameter.get_name() == parameter_name) follow(parameter.as_bool());
    }
  });
}

Node::TimeSource::~TimeSource() = default;

void Node::TimeSource::follow(bool simulated)
{
  if (clock_->get_clock_type() != RCL_ROS_TIME) return;
  {
    const std::lock_guard lock(clock_->get_clock_mutex());
    auto * clock = clock_->get_clock_handle();
    const auto ret =
      simulated ? rcl_enable_ros_time_override(clock) : rcl_disable_ros_time_override(clock);
    detail::check(ret, "failed to switch between simulated and real time");
  }
  if (!simulated) {
    subscription_.reset();
  } else if (!subscription_) {
    subscription_ = std::make_shared<Subscription<rosgraph_msgs::msg::Clock>>(
      base_, "/clock", qos_,
      [this](const rosgraph_msgs::msg::Clock & message) { set(message.clock); },
      SubscriptionOptions());
    base_.add_entity(subscription_);
  }
}

void Node::TimeSource::set(const builtin_interfaces::msg::Time & time)
{
  const std::lock_guard lock(clock_->get_clock_mutex());
  bool simulated = false;
  auto * clock = clock_->get_clock_handle();
  detail::check(rcl_is_enabled_ros_time_override(clock, &simulated), "failed to read clock");
  if (!simulated) return;
  detail::check(
    rcl_set_ros_time_override(clock, Time(time).nanoseconds()), "failed to set simulated time");
}

}  // namespace rclcpp
