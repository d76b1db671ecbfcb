// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "rclcpp/executors.hpp"

#include <algorithm>
#include <thread>
#include <vector>

namespace rclcpp
{

std::string to_string(const FutureReturnCode & code)
{
  switch (code) {
    case FutureReturnCode::SUCCESS:
      return "SUCCESS (0)";
    case FutureReturnCode::INTERRUPTED:
      return "INTERRUPTED (1)";
    case FutureReturnCode::TIMEOUT:
      return "TIMEOUT (2)";
  }
  return "Unknown enum value";
}

std::ostream & operator<<(std::ostream & stream, const FutureReturnCode & code)
{
  return stream << to_string(code);
}

namespace executors
{

void SingleThreadedExecutor::spin()
{
  const Spinning guard(*this, "spin");
  while (may_continue()) {
    if (const auto entity = next_ready(std::chrono::nanoseconds(-1))) run(*entity);
  }
}

MultiThreadedExecutor::MultiThreadedExecutor(const ExecutorOptions & options, size_t threads)
: Executor(options),
  threads_(threads > 0 ? threads : std::max<size_t>(std::thread::hardware_concurrency(), 2))
{
}

void MultiThreadedExecutor::spin()
{
  const Spinning guard(*this, "spin");
  std::vector<std::jthread> others;
  for (size_t i = 1; i < threads_; ++i) others.emplace_back([this] { serve(); });
  serve();
}

void MultiThreadedExecutor::serve()
{
  while (may_continue()) {
    std::shared_ptr<detail::Entity> entity;
    {
      const std::lock_guard lock(wait_mutex_);
      entity = next_ready(std::chrono::nanoseconds(-1));
    }
    if (!entity) continue;
    run(*entity);
    // Whoever waits left this entity's group out of it.
    wake();
  }
  wake();
}

}  // namespace executors

void spin(node_interfaces::NodeBaseInterface::SharedPtr node)
{
  executors::SingleThreadedExecutor executor;
  executor.add_node(node);
  executor.spin();
  executor.remove_node(node);
}

void spin(Node::SharedPtr node) { spin(node->get_node_base_interface()); }

void spin_some(Node::SharedPtr node)
{
  executors::SingleThreadedExecutor executor;
  executor.spin_node_some(node);
}

void spin_all(Node::SharedPtr node, std::chrono::nanoseconds max_duration)
{
  executors::SingleThreadedExecutor executor;
  executor.add_node(node);
  executor.spin_all(max_duration);
  executor.remove_node(node);
}

}  // namespace rclcpp
