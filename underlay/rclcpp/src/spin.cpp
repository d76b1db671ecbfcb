// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <rcl/wait.h>

#include <array>
#include <stdexcept>

#include "core.hpp"
#include "rclcpp/rclcpp.hpp"

namespace rclcpp
{

namespace
{

using Kind = detail::Entity::Kind;

/// Waits repeatedly for all entities of the node.
class Waiter
{
public:
  explicit Waiter(detail::NodeCore & core) : core_(core)
  {
    if (core_.spinning.exchange(true)) {
      throw std::runtime_error(
        std::string("Node '") + rcl_node_get_fully_qualified_name(core_.node.get()) +
        "' has already been added to an executor.");
    }
    const auto context = detail::context();
    detail::check(
      rcl_wait_set_init(&wait_set_, 0, 1, 0, 0, 0, 0, context.get(), rcl_get_default_allocator()),
      "failed to create wait set");
  }
  ~Waiter()
  {
    if (rcl_wait_set_fini(&wait_set_) != RCL_RET_OK) rcl_reset_error();
    core_.spinning = false;
  }
  Waiter(const Waiter &) = delete;
  Waiter & operator=(const Waiter &) = delete;

  /// Waits until an entity is ready or the set of entities has changed. Returns the ready ones: timers,
  /// then subscriptions and services.
  std::vector<std::weak_ptr<detail::Entity>> wait()
  {
    // Copies, so that the rcl objects outlive the wait.
    std::vector<Item> items;
    std::array<std::size_t, 3> counts{};
    for (const auto & entity : core_.entities()) {
      items.push_back({entity, entity->rcl_handle, entity->kind});
      ++counts[static_cast<std::size_t>(entity->kind)];
    }
    detail::check(rcl_wait_set_clear(&wait_set_), "failed to clear wait set");
    detail::check(
      rcl_wait_set_resize(&wait_set_, counts[1], 1, counts[0], 0, counts[2], 0),
      "failed to resize wait set");
    detail::check(
      rcl_wait_set_add_guard_condition(&wait_set_, &core_.changed.handle(), nullptr),
      "failed to add guard condition");
    for (auto & item : items) detail::check(add(item), "failed to add to wait set");
    // A clock that is set forward may end the wait early.
    const rcl_ret_t waited = rcl_wait(&wait_set_, -1);
    if (waited != RCL_RET_TIMEOUT) detail::check(waited, "rcl_wait() failed");

    std::vector<std::weak_ptr<detail::Entity>> ready;
    for (const auto kind : {Kind::timer, Kind::subscription, Kind::service}) {
      for (const auto & item : items) {
        if (item.kind == kind && is_ready(item)) ready.push_back(item.entity);
      }
    }
    return ready;
  }

private:
  struct Item
  {
    std::weak_ptr<detail::Entity> entity;
    std::shared_ptr<void> handle;
    Kind kind;
    std::size_t index = 0;
  };

  rcl_ret_t add(Item & item)
  {
    const void * handle = item.handle.get();
    switch (item.kind) {
      case Kind::timer:
        return rcl_wait_set_add_timer(
          &wait_set_, static_cast<const rcl_timer_t *>(handle), &item.index);
      case Kind::subscription:
        return rcl_wait_set_add_subscription(
          &wait_set_, static_cast<const rcl_subscription_t *>(handle), &item.index);
      default:
        return rcl_wait_set_add_service(
          &wait_set_, static_cast<const rcl_service_t *>(handle), &item.index);
    }
  }

  bool is_ready(const Item & item) const
  {
    switch (item.kind) {
      case Kind::timer:
        return wait_set_.timers[item.index] != nullptr;
      case Kind::subscription:
        return wait_set_.subscriptions[item.index] != nullptr;
      default:
        return wait_set_.services[item.index] != nullptr;
    }
  }

  detail::NodeCore & core_;
  rcl_wait_set_t wait_set_ = rcl_get_zero_initialized_wait_set();
};

}  // namespace

void spin(std::shared_ptr<Node> node)
{
  Waiter waiter(*node->core_);
  while (ok()) {
    for (const auto & weak : waiter.wait()) {
      const auto entity = weak.lock();
      if (entity && ok()) entity->execute();
    }
  }
}

}  // namespace rclcpp
