// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "diagnostic_updater/diagnostic_updater.hpp"

#include <algorithm>
#include <rclcpp/logging.hpp>
#include <rclcpp/utilities.hpp>

#include "formatted.hpp"

namespace diagnostic_updater
{

namespace
{

template <typename T>
T parameter(rclcpp::Node & node, const std::string & name, const T & default_value)
{
  if (!node.has_parameter(name)) node.declare_parameter(name, default_value);
  return node.get_parameter(name).get_value<T>();
}

}  // namespace

Updater::Updater(rclcpp::Node * node, double period)
: node_(node),
  publisher_(node->create_publisher<diagnostic_msgs::msg::DiagnosticArray>("/diagnostics", 1)),
  period_(rclcpp::Duration::from_seconds(parameter(*node, "diagnostic_updater.period", period)))
{
  const bool full_name = parameter(*node, "diagnostic_updater.use_fqn", false);
  node_name_ = full_name ? node->get_fully_qualified_name() : node->get_name();
  setPeriod(period_);
}

void Updater::add(const std::string & name, TaskFunction function)
{
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back({name, std::move(function)});
  }
  DiagnosticStatusWrapper status;
  status.name = name;
  status.summary(DiagnosticStatusWrapper::OK, "Node starting up");
  publish({status});
}

void Updater::add(DiagnosticTask & task)
{
  add(task.getName(), [&task](DiagnosticStatusWrapper & status) { task.run(status); });
}

bool Updater::removeByName(const std::string & name)
{
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(
    tasks_.begin(), tasks_.end(), [&](const Task & task) { return task.name == name; });
  if (found == tasks_.end()) return false;
  tasks_.erase(found);
  return true;
}

void Updater::setHardwareIDf(const char * format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  hardware_id_ = formatted(format, arguments);
  va_end(arguments);
}

void Updater::setPeriod(const rclcpp::Duration & period)
{
  period_ = period;
  timer_ = rclcpp::create_timer(node_, node_->get_clock(), period_, [this] { force_update(); });
}

void Updater::force_update()
{
  if (!rclcpp::ok()) return;
  bool all_ok = true;
  Statuses statuses;
  {
    const std::lock_guard lock(mutex_);
    for (const auto & task : tasks_) {
      DiagnosticStatusWrapper status;
      status.name = task.name;
      status.hardware_id = hardware_id_;
      status.summary(DiagnosticStatusWrapper::ERROR, "No message was set");
      task.function(status);
      if (status.level != DiagnosticStatusWrapper::OK) {
        all_ok = false;
        if (verbose_) {
          RCLCPP_WARN(
            node_->get_logger(), "Non-zero diagnostic status. Name: '%s', status %d: '%s'",
            status.name.c_str(), status.level, status.message.c_str());
        }
      }
      statuses.push_back(status);
    }
  }
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

void Updater::broadcast(unsigned char level, const std::string & text)
{
  Statuses statuses;
  {
    const std::lock_guard lock(mutex_);
    for (const auto & task : tasks_) {
      DiagnosticStatusWrapper status;
      status.name = task.name;
      status.summary(level, text);
      statuses.push_back(status);
    }
  }
  publish(std::move(statuses));
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
