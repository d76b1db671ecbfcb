// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcl/node.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "rclcpp/callback_group.hpp"
#include "rclcpp/context.hpp"
#include "rclcpp/detail/entity.hpp"
#include "rclcpp/guard_condition.hpp"
#include "rclcpp/macros.hpp"

namespace rclcpp::node_interfaces
{

/// A node as executors see it: the rcl node and what there is to wait for.
class NodeBaseInterface
{
public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(NodeBaseInterface)
  RCLCPP_DISABLE_COPY(NodeBaseInterface)

  NodeBaseInterface(
    const std::string & name, const std::string & name_space, Context::SharedPtr context,
    const rcl_node_options_t & options);

  const char * get_name() const { return rcl_node_get_name(node_.get()); }
  const char * get_namespace() const { return rcl_node_get_namespace(node_.get()); }
  const char * get_fully_qualified_name() const
  {
    return rcl_node_get_fully_qualified_name(node_.get());
  }
  Context::SharedPtr get_context() { return context_; }
  rcl_node_t * get_rcl_node_handle() { return node_.get(); }
  std::shared_ptr<rcl_node_t> get_shared_rcl_node_handle() { return node_; }

  CallbackGroup::SharedPtr create_callback_group(CallbackGroupType type);
  CallbackGroup::SharedPtr get_default_callback_group() { return default_group_; }

  GuardCondition & get_notify_guard_condition() { return notify_; }
  std::atomic_bool & get_associated_with_executor_atomic() { return associated_; }

  /// Lets executors serve the entity for as long as somebody holds it.
  void add_entity(const std::shared_ptr<detail::Entity> & entity);
  std::vector<std::shared_ptr<detail::Entity>> entities();

  /// The full name of a topic or service after expansion and remapping.
  std::string resolve_name(
    const std::string & name, bool is_service, bool only_expand = false) const;

private:
  Context::SharedPtr context_;
  std::shared_ptr<rcl_node_t> node_;
  CallbackGroup::SharedPtr default_group_;
  GuardCondition notify_;
  std::atomic_bool associated_{false};
  std::mutex entities_mutex_;
  std::vector<std::weak_ptr<detail::Entity>> entities_;
};

}  // namespace rclcpp::node_interfaces
