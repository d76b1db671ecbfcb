// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcl/wait.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <vector>

#include "rclcpp/context.hpp"
#include "rclcpp/future_return_code.hpp"
#include "rclcpp/guard_condition.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/node.hpp"

namespace rclcpp
{

struct ExecutorOptions
{
  Context::SharedPtr context = contexts::get_global_default_context();
};

/// Waits for what its nodes wait for and runs their callbacks.
class Executor
{
public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(Executor)
  RCLCPP_DISABLE_COPY(Executor)

  explicit Executor(const ExecutorOptions & options = ExecutorOptions());
  virtual ~Executor();

  /// Until the context is shut down or cancel() is called.
  virtual void spin() = 0;

  /// Throws std::runtime_error if the node is with an executor already.
  virtual void add_node(node_interfaces::NodeBaseInterface::SharedPtr node, bool notify = true);
  virtual void add_node(Node::SharedPtr node, bool notify = true);
  /// Throws std::runtime_error if the node isn't with this executor.
  virtual void remove_node(node_interfaces::NodeBaseInterface::SharedPtr node, bool notify = true);
  virtual void remove_node(Node::SharedPtr node, bool notify = true);

  /// Runs at most one callback; waits for it (negative: for ever).
  virtual void spin_once(std::chrono::nanoseconds timeout = std::chrono::nanoseconds(-1));
  /// Runs what is ready now, for at most that long (zero: until it is done).
  virtual void spin_some(std::chrono::nanoseconds max_duration = std::chrono::nanoseconds(0));
  /// Like spin_some(), looking again until nothing is ready.
  virtual void spin_all(std::chrono::nanoseconds max_duration);
  void spin_node_some(Node::SharedPtr node);
  void spin_node_once(
    Node::SharedPtr node, std::chrono::nanoseconds timeout = std::chrono::nanoseconds(-1));

  template <typename FutureT, typename Rep = int64_t, typename Period = std::milli>
  FutureReturnCode spin_until_future_complete(
    const FutureT & future,
    std::chrono::duration<Rep, Period> timeout = std::chrono::duration<Rep, Period>(-1))
  {
    return spin_until(
      [&future] { return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready; },
      std::chrono::duration_cast<std::chrono::nanoseconds>(timeout));
  }

  /// Makes spin() return; may be called from any thread or callback.
  virtual void cancel();
  bool is_spinning() { return spinning_; }

protected:
  /// Holds `spinning_` while somebody spins; throws std::runtime_error if somebody does already.
  class Spinning
  {
  public:
    Spinning(Executor & executor, const char * caller);
    ~Spinning() { executor_.spinning_ = false; }
    Spinning(const Spinning &) = delete;
    Spinning & operator=(const Spinning &) = delete;

  private:
    Executor & executor_;
  };

  bool may_continue() const { return spinning_ && context_->is_valid(); }
  void wake() { interrupt_.trigger(); }

  /// The next entity with something to do, or null. Entities of a busy group wait.
  std::shared_ptr<detail::Entity> next_ready(std::chrono::nanoseconds timeout);
  /// Runs the entity's callback; `next_ready` has marked its group as busy.
  void run(detail::Entity & entity);

  Context::SharedPtr context_;
  std::atomic_bool spinning_{false};

private:
  struct Waiting
  {
    std::weak_ptr<detail::Entity> entity;
    std::shared_ptr<void> rcl_handle;
    detail::Entity::Kind kind;
    size_t index;
  };
  using Nodes = std::vector<node_interfaces::NodeBaseInterface::WeakPtr>;

  FutureReturnCode spin_until(const std::function<bool()> & done, std::chrono::nanoseconds timeout);
  void spin_ready(std::chrono::nanoseconds max_duration, bool look_again);
  std::vector<node_interfaces::NodeBaseInterface::SharedPtr> current_nodes();
  void wait(std::chrono::nanoseconds timeout);
  void fill_wait_set(
    const std::vector<node_interfaces::NodeBaseInterface::SharedPtr> & nodes,
    std::vector<Waiting> & waiting);
  std::shared_ptr<detail::Entity> pop_ready();

  GuardCondition interrupt_;
  OnShutdownCallbackHandle on_shutdown_;
  std::mutex nodes_mutex_;
  Nodes nodes_;
  std::mutex ready_mutex_;
  std::deque<std::weak_ptr<detail::Entity>> ready_;
  rcl_wait_set_t wait_set_;
};

}  // namespace rclcpp
