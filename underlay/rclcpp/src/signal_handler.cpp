// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "signal_handler.hpp"

#include <cerrno>
#include <exception>
#include <string>
#include <utility>

#include "rclcpp/logging.hpp"

namespace rclcpp::detail
{

namespace
{

std::atomic<int> last_signal{0};

}  // namespace

SignalHandler & SignalHandler::instance()
{
  static SignalHandler handler;
  return handler;
}

void SignalHandler::handle(int number)
{
  const int saved = errno;
  last_signal = number;
  sem_post(&instance().wake_);
  errno = saved;
}

void SignalHandler::take(Taken & taken)
{
  struct sigaction action
  {
  };
  action.sa_handler = &SignalHandler::handle;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  taken.active = sigaction(taken.number, &action, &taken.previous) == 0;
}

bool SignalHandler::install(SignalHandlerOptions options)
{
  const std::lock_guard lock(mutex_);
  if (installed_ || options == SignalHandlerOptions::None) return false;
  installed_ = true;
  stop_ = false;
  last_signal = 0;
  sem_init(&wake_, 0, 0);
  thread_ = std::thread(&SignalHandler::serve, this);
  if (options != SignalHandlerOptions::SigTerm) take(taken_[0]);
  if (options != SignalHandlerOptions::SigInt) take(taken_[1]);
  return true;
}

bool SignalHandler::uninstall()
{
  std::unique_lock lock(mutex_);
  if (!installed_) return false;
  installed_ = false;
  for (auto & taken : taken_) {
    if (taken.active) sigaction(taken.number, &taken.previous, nullptr);
    taken.active = false;
  }
  stop_ = true;
  sem_post(&wake_);
  auto thread = std::move(thread_);
  lock.unlock();
  if (thread.get_id() == std::this_thread::get_id()) {
    // An on_shutdown callback ended everything from within: the thread ends by itself.
    thread.detach();
  } else {
    thread.join();
  }
  return true;
}

bool SignalHandler::is_installed()
{
  const std::lock_guard lock(mutex_);
  return installed_;
}

void SignalHandler::serve()
{
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  while (!stop_) {
    if (sem_wait(&wake_) != 0 || stop_) continue;
    const int number = last_signal.exchange(0);
    if (number == 0) continue;
    const std::string reason = number == SIGINT ? "SIGINT" : "SIGTERM";
    RCLCPP_INFO(get_logger("rclcpp"), "signal_handler(%s)", reason.c_str());
    for (const auto & context : Context::all_valid()) {
      if (!context->get_init_options().shutdown_on_signal) continue;
      try {
        context->shutdown(reason);
      } catch (const std::exception & error) {
        RCLCPP_ERROR(get_logger("rclcpp"), "cannot shut down: %s", error.what());
      }
    }
  }
}

}  // namespace rclcpp::detail
