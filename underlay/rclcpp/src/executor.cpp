// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "rclcpp/executor.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

#include "rcl_check.hpp"

namespace rclcpp
{

using node_interfaces::NodeBaseInterface;
using SteadyClock = std::chrono::steady_clock;

namespace
{

constexpr std::chrono::nanoseconds no_time{0};

bool is_busy(CallbackGroup & group)
{
  return group.type() == CallbackGroupType::MutuallyExclusive && !group.can_be_taken_from();
}

}  // namespace

Executor::Spinning::Spinning(Executor & executor, const char * caller) : executor_(executor)
{
  if (executor_.spinning_.exchange(true)) {
    throw std::runtime_error(std::string(caller) + "() called while already spinning");
  }
}

Executor::Executor(const ExecutorOptions & options)
: context_(options.context),
  interrupt_(options.context),
  wait_set_(rcl_get_zero_initialized_wait_set())
{
  on_shutdown_ = context_->add_on_shutdown_callback([this] { interrupt_.trigger(); });
  detail::check(
    rcl_wait_set_init(
      &wait_set_, 0, 1, 0, 0, 0, 0, context_->get_rcl_context().get(), rcl_get_default_allocator()),
    "failed to create wait set");
}

Executor::~Executor()
{
  context_->remove_on_shutdown_callback(on_shutdown_);
  for (const auto & node : current_nodes()) {
    node->get_associated_with_executor_atomic() = false;
  }
  if (rcl_wait_set_fini(&wait_set_) != RCL_RET_OK) rcl_reset_error();
}

void Executor::add_node(NodeBaseInterface::SharedPtr node, bool notify)
{
  if (node->get_associated_with_executor_atomic().exchange(true)) {
    throw std::runtime_error(
      std::string("Node '") + node->get_fully_qualified_name() +
      "' has already been added to an executor.");
  }
  {
    const std::lock_guard lock(nodes_mutex_);
    nodes_.push_back(node);
  }
  if (notify) wake();
}

void Executor::add_node(Node::SharedPtr node, bool notify)
{
  add_node(node->get_node_base_interface(), notify);
}

void Executor::remove_node(NodeBaseInterface::SharedPtr node, bool notify)
{
  {
    const std::lock_guard lock(nodes_mutex_);
    const auto removed = std::erase_if(
      nodes_, [&node](const NodeBaseInterface::WeakPtr & weak) { return weak.lock() == node; });
    if (removed == 0) {
      throw std::runtime_error(
        std::string("Node '") + node->get_fully_qualified_name() +
        "' needs to be associated with this executor.");
    }
  }
  node->get_associated_with_executor_atomic() = false;
  {
    // What was ready is found again by the next wait, unless it belonged to this node.
    const std::lock_guard lock(ready_mutex_);
    ready_.clear();
  }
  if (notify) wake();
}

void Executor::remove_node(Node::SharedPtr node, bool notify)
{
  remove_node(node->get_node_base_interface(), notify);
}

void Executor::cancel()
{
  spinning_ = false;
  wake();
}

void Executor::spin_once(std::chrono::nanoseconds timeout)
{
  const Spinning guard(*this, "spin_once");
  if (const auto entity = next_ready(timeout)) run(*entity);
}

void Executor::spin_some(std::chrono::nanoseconds max_duration) { spin_ready(max_duration, false); }

void Executor::spin_all(std::chrono::nanoseconds max_duration)
{
  if (max_duration < no_time) {
    throw std::invalid_argument("max_duration must be greater than or equal to 0");
  }
  spin_ready(max_duration, true);
}

void Executor::spin_ready(std::chrono::nanoseconds max_duration, bool look_again)
{
  const Spinning guard(*this, "spin_some");
  const auto start = SteadyClock::now();
  const auto in_time = [&] {
    return max_duration == no_time || SteadyClock::now() - start < max_duration;
  };
  bool any = true;
  while (any && may_continue() && in_time()) {
    any = false;
    wait(no_time);
    while (may_continue() && in_time()) {
      const auto entity = pop_ready();
      if (!entity) break;
      any = look_again;
      run(*entity);
    }
  }
}

void Executor::spin_node_some(Node::SharedPtr node)
{
  add_node(node, false);
  spin_some();
  remove_node(node, false);
}

void Executor::spin_node_once(Node::SharedPtr node, std::chrono::nanoseconds timeout)
{
  add_node(node, false);
  spin_once(timeout);
  remove_node(node, false);
}

FutureReturnCode Executor::spin_until(
  const std::function<bool()> & done, std::chrono::nanoseconds timeout)
{
  if (done()) return FutureReturnCode::SUCCESS;
  const Spinning guard(*this, "spin_until_future_complete");
  const auto end = SteadyClock::now() + timeout;
  while (may_continue()) {
    auto left = timeout;
    if (timeout > no_time)
      left = std::max<std::chrono::nanoseconds>(end - SteadyClock::now(), no_time);
    if (const auto entity = next_ready(left)) run(*entity);
    if (done()) return FutureReturnCode::SUCCESS;
    if (timeout >= no_time && SteadyClock::now() >= end) return FutureReturnCode::TIMEOUT;
  }
  return FutureReturnCode::INTERRUPTED;
}

std::vector<NodeBaseInterface::SharedPtr> Executor::current_nodes()
{
  const std::lock_guard lock(nodes_mutex_);
  std::vector<NodeBaseInterface::SharedPtr> held;
  std::erase_if(nodes_, [&held](const NodeBaseInterface::WeakPtr & weak) {
    auto node = weak.lock();
    if (!node) return true;
    held.push_back(std::move(node));
    return false;
  });
  return held;
}

void Executor::fill_wait_set(
  const std::vector<NodeBaseInterface::SharedPtr> & nodes, std::vector<Waiting> & waiting)
{
  using Kind = detail::Entity::Kind;
  std::array<size_t, 4> counts{};
  for (const auto & node : nodes) {
    for (const auto & entity : node->entities()) {
      if (is_busy(entity->get_group())) continue;
      waiting.push_back({entity, entity->rcl_handle, entity->kind, 0});
      ++counts[static_cast<size_t>(entity->kind)];
    }
  }
  const auto count = [&counts](Kind kind) { return counts[static_cast<size_t>(kind)]; };
  const size_t guards = 1 + nodes.size();
  detail::check(rcl_wait_set_clear(&wait_set_), "failed to clear wait set");
  detail::check(
    rcl_wait_set_resize(
      &wait_set_, count(Kind::subscription), guards, count(Kind::timer), count(Kind::client),
      count(Kind::service), 0),
    "failed to resize wait set");

  const auto add_guard = [this](GuardCondition & guard) {
    detail::check(
      rcl_wait_set_add_guard_condition(&wait_set_, &guard.get_rcl_guard_condition(), nullptr),
      "failed to add guard condition");
  };
  add_guard(interrupt_);
  for (const auto & node : nodes) add_guard(node->get_notify_guard_condition());

  for (auto & item : waiting) {
    const void * handle = item.rcl_handle.get();
    rcl_ret_t ret = RCL_RET_OK;
    switch (item.kind) {
      case Kind::subscription:
        ret = rcl_wait_set_add_subscription(
          &wait_set_, static_cast<const rcl_subscription_t *>(handle), &item.index);
        break;
      case Kind::timer:
        ret =
          rcl_wait_set_add_timer(&wait_set_, static_cast<const rcl_timer_t *>(handle), &item.index);
        break;
      case Kind::service:
        ret = rcl_wait_set_add_service(
          &wait_set_, static_cast<const rcl_service_t *>(handle), &item.index);
        break;
      case Kind::client:
        ret = rcl_wait_set_add_client(
          &wait_set_, static_cast<const rcl_client_t *>(handle), &item.index);
        break;
    }
    detail::check(ret, "failed to add to wait set");
  }
}

void Executor::wait(std::chrono::nanoseconds timeout)
{
  using Kind = detail::Entity::Kind;
  const auto nodes = current_nodes();
  std::vector<Waiting> waiting;
  fill_wait_set(nodes, waiting);

  const auto ret = rcl_wait(&wait_set_, timeout.count());
  if (ret == RCL_RET_TIMEOUT) {
    rcl_reset_error();
  } else {
    detail::check(ret, "rcl_wait() failed");
  }

  const auto is_ready = [this](const Waiting & item) {
    switch (item.kind) {
      case Kind::timer:
        return wait_set_.timers[item.index] != nullptr;
      case Kind::subscription:
        return wait_set_.subscriptions[item.index] != nullptr;
      case Kind::service:
        return wait_set_.services[item.index] != nullptr;
      case Kind::client:
        return wait_set_.clients[item.index] != nullptr;
    }
    return false;
  };
  const std::lock_guard lock(ready_mutex_);
  ready_.clear();
  for (const auto kind : {Kind::timer, Kind::subscription, Kind::service, Kind::client}) {
    for (const auto & item : waiting) {
      if (item.kind == kind && is_ready(item)) ready_.push_back(item.entity);
    }
  }
}

std::shared_ptr<detail::Entity> Executor::pop_ready()
{
  const std::lock_guard lock(ready_mutex_);
  for (auto item = ready_.begin(); item != ready_.end();) {
    auto entity = item->lock();
    if (entity && is_busy(entity->get_group())) {
      ++item;
      continue;
    }
    item = ready_.erase(item);
    if (!entity) continue;
    entity->get_group().can_be_taken_from() = false;
    return entity;
  }
  return nullptr;
}

std::shared_ptr<detail::Entity> Executor::next_ready(std::chrono::nanoseconds timeout)
{
  if (auto entity = pop_ready()) return entity;
  if (!may_continue()) return nullptr;
  wait(timeout);
  return pop_ready();
}

void Executor::run(detail::Entity & entity)
{
  struct Free
  {
    CallbackGroup & group;
    ~Free() { group.can_be_taken_from() = true; }
  };
  const Free free{entity.get_group()};
  entity.execute();
}

}  // namespace rclcpp
