// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <semaphore.h>

#include <array>
#include <atomic>
#include <csignal>
#include <mutex>
#include <thread>

#include "rclcpp/utilities.hpp"

namespace rclcpp::detail
{

/// Turns SIGINT and SIGTERM into the shutdown of every context that asked for it. The handler only
/// posts a semaphore; a thread of its own does what isn't allowed in a handler.
class SignalHandler
{
public:
  static SignalHandler & instance();

  bool install(SignalHandlerOptions options);
  bool uninstall();
  bool is_installed();

private:
  struct Taken
  {
    int number;
    bool active = false;
    struct sigaction previous
    {
    };
  };

  SignalHandler() = default;
  ~SignalHandler() { uninstall(); }

  static void handle(int number);
  void take(Taken & taken);
  void serve();

  std::mutex mutex_;
  bool installed_ = false;
  std::array<Taken, 2> taken_{Taken{SIGINT}, Taken{SIGTERM}};
  std::thread thread_;
  std::atomic_bool stop_{false};
  sem_t wake_{};
};

}  // namespace rclcpp::detail
