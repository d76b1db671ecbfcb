// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <rosgraph_msgs/msg/clock.hpp>

#include "rclcpp/node.hpp"

namespace rclcpp
{

/// Lets the node's clock follow /clock while the parameter `use_sim_time` is true.
class Node::TimeSource
{
public:
  explicit TimeSource(Node & node);
  ~TimeSource();
  TimeSource(const TimeSource &) = delete;
  TimeSource & operator=(const TimeSource &) = delete;

private:
  void follow(bool simulated);
  void set(const builtin_interfaces::msg::Time & time);

  node_interfaces::NodeBaseInterface & base_;
  Clock::SharedPtr clock_;
  QoS qos_;
  OnSetParametersCallbackHandle::SharedPtr before_;
  PostSetParametersCallbackHandle::SharedPtr after_;
  Subscription<rosgraph_msgs::msg::Clock>::SharedPtr subscription_;
};

}  // namespace rclcpp
