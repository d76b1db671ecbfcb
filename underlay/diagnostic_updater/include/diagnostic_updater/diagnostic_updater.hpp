// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <diagnostic_msgs/msg/diagnostic_array.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <rclcpp/create_timer.hpp>
#include <rclcpp/node.hpp>
#include <string>
#include <utility>
#include <vector>

#include "diagnostic_updater/diagnostic_status_wrapper.hpp"

namespace diagnostic_updater
{

using TaskFunction = std::function<void(DiagnosticStatusWrapper &)>;

/// Something that reports on one aspect of a node.
class DiagnosticTask
{
public:
  explicit DiagnosticTask(const std::string & name) : name_(name) {}
  virtual ~DiagnosticTask() = default;

  const std::string & getName() { return name_; }
  virtual void run(DiagnosticStatusWrapper & status) = 0;

private:
  const std::string name_;
};

class FunctionDiagnosticTask : public DiagnosticTask
{
public:
  FunctionDiagnosticTask(const std::string & name, TaskFunction function)
  : DiagnosticTask(name), function_(std::move(function))
  {
  }
  void run(DiagnosticStatusWrapper & status) override { function_(status); }

private:
  const TaskFunction function_;
};

/// Runs its tasks once a period and publishes what they report on /diagnostics.
class Updater
{
public:
  /// Also logs every status that isn't OK.
  bool verbose_ = false;

  /// `period` is in seconds; the parameter `diagnostic_updater.period` goes before it.
  explicit Updater(rclcpp::Node * node, double period = 1.0);
  template <class NodeT>
  explicit Updater(NodeT node, double period = 1.0)
  : Updater(static_cast<rclcpp::Node *>(std::to_address(node)), period)
  {
  }
  virtual ~Updater() = default;
  Updater(const Updater &) = delete;
  Updater & operator=(const Updater &) = delete;

  void add(const std::string & name, TaskFunction function);
  /// The task must outlive this object.
  void add(DiagnosticTask & task);
  template <class T>
  void add(const std::string & name, T * object, void (T::*method)(DiagnosticStatusWrapper &))
  {
    add(name, [object, method](DiagnosticStatusWrapper & status) { (object->*method)(status); });
  }
  /// False if there is no task of that name.
  bool removeByName(const std::string & name);

  void setHardwareID(const std::string & hardware_id) { hardware_id_ = hardware_id; }
  [[gnu::format(printf, 2, 3)]] void setHardwareIDf(const char * format, ...);

  rclcpp::Duration getPeriod() const { return period_; }
  void setPeriod(const rclcpp::Duration & period);
  void setPeriod(double seconds) { setPeriod(rclcpp::Duration::from_seconds(seconds)); }

  /// Runs the tasks and publishes now.
  void force_update();
  /// Publishes the same level and text for every task without running any.
  void broadcast(unsigned char level, const std::string & text);

private:
  struct Task
  {
    std::string name;
    TaskFunction function;
  };
  using Statuses = std::vector<diagnostic_msgs::msg::DiagnosticStatus>;

  void publish(Statuses statuses);
  void warn_of_missing_hardware_id();

  rclcpp::Node * node_;
  rclcpp::Publisher<diagnostic_msgs::msg::DiagnosticArray>::SharedPtr publisher_;
  std::string node_name_;
  std::string hardware_id_;
  bool warned_of_hardware_id_ = false;
  std::mutex mutex_;
  std::vector<Task> tasks_;
  rclcpp::Duration period_;
  rclcpp::TimerBase::SharedPtr timer_;
};

}  // namespace diagnostic_updater
