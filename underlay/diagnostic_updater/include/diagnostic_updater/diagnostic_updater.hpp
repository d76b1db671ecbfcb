// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <diagnostic_msgs/msg/diagnostic_array.hpp>
#include <functional>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <utility>
#include <vector>

namespace diagnostic_updater
{

/// A diagnostic status with helpers for filling it in.
class DiagnosticStatusWrapper : public diagnostic_msgs::msg::DiagnosticStatus
{
public:
  void summary(unsigned char level_now, const std::string & text);
  void add(const std::string & key, const std::string & value);
};

/// Runs its tasks once a period and publishes their reports on /diagnostics. One thread.
class Updater
{
public:
  /// `period` is in seconds; the parameter `diagnostic_updater.period` overrides it.
  explicit Updater(rclcpp::Node * node, double period = 1.0);
  Updater(const Updater &) = delete;
  Updater & operator=(const Updater &) = delete;

  void add(const std::string & name, std::function<void(DiagnosticStatusWrapper &)> function);
  /// Returns whether there was such a task.
  bool removeByName(const std::string & name)
  {
    return std::erase_if(tasks_, [&](const Task & task) { return task.name == name; }) > 0;
  }
  /// Runs the tasks and publishes now.
  void force_update();
  void setHardwareID(const std::string & hardware_id) { hardware_id_ = hardware_id; }

private:
  struct Task
  {
    std::string name;
    std::function<void(DiagnosticStatusWrapper &)> function;
  };
  using Statuses = std::vector<diagnostic_msgs::msg::DiagnosticStatus>;

  void publish(Statuses statuses);
  void warn_of_missing_hardware_id();

  rclcpp::Node * node_;
  rclcpp::Publisher<diagnostic_msgs::msg::DiagnosticArray>::SharedPtr publisher_;
  std::string node_name_;
  std::string hardware_id_;
  bool warned_of_hardware_id_ = false;
  std::vector<Task> tasks_;
  rclcpp::TimerBase::SharedPtr timer_;
};

}  // namespace diagnostic_updater
