// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "diagnostic_updater/diagnostic_updater.hpp"

#include <algorithm>
#include <chrono>

namespace diagnostic_updater
{

namespace
{

rclcpp::Parameter parameter(
  rclcpp::Node & node, const std::string & name, const rclcpp::ParameterValue & default_value)
{
  if (!node.has_parameter(name)) node.declare_parameter(name, default_value);
  return node.get_parameter(name);
}

}  // namespace

void DiagnosticStatusWrapper::summary(unsigned char level_now, const std::string & text)
{
  level = level_now;
  message = text;
}

void DiagnosticStatusWrapper::add(const std::string & key, const std::string & value)
{
  auto & item = values.emplace_back();
  item.key = key;
  item.value = value;
}

Updater::Updater(rclcpp::Node * node, double period)
: node_(node),
  publisher_(node->create_publisher<diagnostic_msgs::msg::DiagnosticArray>("/diagnostics", 1))
{
  const std::chrono::duration<double> seconds(
    parameter(*node, "diagnostic_updater.period", rclcpp::ParameterValue(period)).as_double());
  const bool full_name =
    parameter(*node, "diagnostic_updater.use_fqn", rclcpp::ParameterValue(false)).as_bool();
  node_name_ = full_name ? node->get_fully_qualified_name() : node->get_name();
  timer_ = node->create_timer(
    std::chrono::duration_cast<std::chrono::nanoseconds>(seconds), [this] { force_update(); });
}

void Updater::add(const std::string & name, std::function<void(DiagnosticStatusWrapper &)> function)
{
  tasks_.push_back({name, std::move(function)});
  DiagnosticStatusWrapper status;
  status.name = name;
  status.summary(DiagnosticStatusWrapper::OK, "Node starting up");
  publish({status});
}

void Updater::force_update()
{
  Statuses statuses;
  for (const auto & task : tasks_) {
    DiagnosticStatusWrapper status;
    status.name = task.name;
    status.hardware_id = hardware_id_;
    status.summary(DiagnosticStatusWrapper::ERROR, "No message was set");
    task.function(status);
    statuses.push_back(status);
  }
  const bool all_ok = std::all_of(statuses.begin(), statuses.end(), [](const auto & status) {
    return status.level == DiagnosticStatusWrapper::OK;
  });
  if (all_ok && hardware_id_.empty()) warn_of_missing_hardware_id();
  publish(std::move(statuses));
}

void Updater::warn_of_missing_hardware_id()
{
  if (std::exchange(warned_of_hardware_id_, true)) return;
  RCLCPP_WARN(
    node_->get_logger(),
    "diagnostic_updater: no hardware id was set; where there is none, set it to 'none'.");
}

void Updater::publish(Statuses statuses)
{
  diagnostic_msgs::msg::DiagnosticArray message;
  message.header.stamp = node_->now();
  for (auto & status : statuses) status.name = node_name_ + ": " + status.name;
  message.status = std::move(statuses);
  publisher_->publish(message);
}

}  // namespace diagnostic_updater
