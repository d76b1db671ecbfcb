// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <rcl/context.h>
#include <rcl/guard_condition.h>
#include <rcl/node.h>
#include <rcl/time.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "rclcpp/node.hpp"

namespace rclcpp::detail
{

/// Throws an exception with `doing` and rcl's report unless `ret` is success.
void check(rcl_ret_t ret, const std::string & doing);

/// Protects rcl's logging, which is global and not thread-safe.
std::recursive_mutex & logging_mutex();

/// Returns the context between init() and shutdown(). Throws std::runtime_error without init().
std::shared_ptr<rcl_context_t> context();

/// Wakes spin(). Any thread may trigger it, and shutdown() triggers all of them.
class GuardCondition
{
public:
  GuardCondition();
  ~GuardCondition();
  GuardCondition(const GuardCondition &) = delete;
  GuardCondition & operator=(const GuardCondition &) = delete;

  void trigger();
  const rcl_guard_condition_t & handle() const { return handle_; }

private:
  std::shared_ptr<rcl_context_t> context_;
  rcl_guard_condition_t handle_;
};

std::shared_ptr<rcl_clock_t> make_clock(rcl_clock_type_t type);

/// The rcl node, its clock and its entities.
class NodeCore
{
public:
  explicit NodeCore(const std::string & name);

  void add(const std::shared_ptr<Entity> & entity);
  /// Returns the entities that still have an owner.
  std::vector<std::shared_ptr<Entity>> entities();
  Time now();

  std::shared_ptr<rcl_node_t> node;
  GuardCondition changed;
  const std::shared_ptr<rcl_clock_t> clock = make_clock(RCL_ROS_TIME);
  std::mutex clock_mutex;
  std::atomic_bool spinning{false};

private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<Entity>> entities_;
};

}  // namespace rclcpp::detail
