// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

#include "rclcpp/executor.hpp"

namespace rclcpp::executors
{

/// Runs callbacks of different (or reentrant) callback groups at the same time.
class MultiThreadedExecutor : public Executor
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(MultiThreadedExecutor)

  /// `threads` 0 takes as many as the machine has, but two at least.
  explicit MultiThreadedExecutor(
    const ExecutorOptions & options = ExecutorOptions(), size_t threads = 0);

  void spin() override;
  size_t get_number_of_threads() { return threads_; }

private:
  void serve();

  size_t threads_;
  std::mutex wait_mutex_;
};

}  // namespace rclcpp::executors
