// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/shown_text.hpp"
#include "config/config.hpp"
#include "os/output_relay.hpp"
#include "os/process.hpp"
#include "shown_log.hpp"
#include "tunnel_node.hpp"

namespace
{

constexpr std::chrono::seconds farewell(3);
constexpr timespec clock_look_interval{0, 250'000'000};
constexpr std::chrono::milliseconds clock_set_by(
  100);  // more than a clock drifts between two looks
// The exit code after which launch files end, because a restart would change nothing.
constexpr int exit_misconfigured = 2;
// Includes the threads of the middleware.
constexpr std::size_t address_space_bytes = std::size_t{512} << 20;

sigset_t own_signals()
{
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGHUP);
  return signals;
}

// Returns how far the system's clock is ahead of the monotonic one.
std::chrono::nanoseconds clock_ahead()
{
  return std::chrono::system_clock::now().time_since_epoch() -
         std::chrono::steady_clock::now().time_since_epoch();
}

// Waits for signals on a thread of its own and asks the node to stop, which answers pending requests before ROS shuts
// down. ROS itself must therefore not take the signals. Fast DDS waits for times of the system's clock. When that is
// set back the thread wakes the node, or its timers would stand still until the old time is reached again.
class SignalThread
{
public:
  explicit SignalThread(pqc_tunnel::TunnelNode & node)
  : thread_([&node] {
      const sigset_t signals = own_signals();
      auto ahead = clock_ahead();
      for (int signal = 0; signal != SIGINT && signal != SIGTERM;) {
        signal = sigtimedwait(&signals, nullptr, &clock_look_interval);
        if (signal == SIGHUP) {
          node.request_reload();
        }
        const auto before = std::exchange(ahead, clock_ahead());
        if (std::chrono::abs(ahead - before) > clock_set_by) {
          node.wake_up();
        }
      }
      node.request_stop();
    })
  {
  }
  ~SignalThread()
  {
    pthread_kill(thread_.native_handle(), SIGINT);
    thread_.join();
  }
  SignalThread(const SignalThread &) = delete;
  SignalThread & operator=(const SignalThread &) = delete;

private:
  std::thread thread_;
};

// Ends the process in case Fast DDS 3.2 hangs, which it can if two participants leave at the same
// moment. The keys are already wiped when the node leaves the graph.
void end_soon(int code)
{
  std::thread([code] {
    std::this_thread::sleep_for(farewell);
    std::_Exit(code);
  }).detach();
}

// Removes line ends and source positions that rcl adds to its messages.
std::string one_sentence(const std::string & message)
{
  const std::string sentence = message.substr(0, message.find(", at "));
  return sentence.substr(0, sentence.find_last_not_of(" \n") + 1);
}

void report_failure(const std::string & failure)
{
  std::fprintf(stderr, "tunnel_node: %s\n", pqc_tunnel::shown(one_sentence(failure)).c_str());
}

// ROS colours its log only if standard error is a terminal, and the relay is none.
void keep_colours()
{
  if (::isatty(STDERR_FILENO) == 1) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): this is the only thread yet.
    ::setenv("RCUTILS_COLORIZED_OUTPUT", "1", 0);
  }
}

std::vector<std::string> parameter_files(const std::vector<std::string> & words)
{
  std::vector<std::string> files;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i - 1] == "--params-file") {
      files.push_back(words[i]);
    }
  }
  return files;
}

int run(const std::vector<std::string> & files)
{
  const auto node = std::make_shared<pqc_tunnel::TunnelNode>(files);
  if (node->failure().empty()) {
    const SignalThread signals(*node);
    rclcpp::spin(node);
  }
  const int code = node->misconfigured()     ? exit_misconfigured
                   : node->failure().empty() ? EXIT_SUCCESS
                                             : EXIT_FAILURE;
  if (code != EXIT_SUCCESS) {
    report_failure(node->failure());
  }
  end_soon(code);
  return code;
}

}  // namespace

int main(int argc, char ** argv)
{
  // Every thread inherits the mask, so that only the one that waits for signals gets them.
  const sigset_t signals = own_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  try {
    pqc_tunnel::protect_secrets();
    pqc_tunnel::return_freed_memory();
    if (const auto enough = pqc_tunnel::check_address_space(address_space_bytes); !enough) {
      report_failure(enough.error().message);
      std::_Exit(EXIT_FAILURE);  // destructors of libraries may fail without memory
    }
    keep_colours();
    // Log calls of the executor's thread and of the middleware must not wait for a reader.
    const pqc_tunnel::OutputRelay errors(STDERR_FILENO, "tunnel_node");
    const pqc_tunnel::OutputRelay output(STDOUT_FILENO, "tunnel_node");
    const auto files = parameter_files({argv, argv + argc});
    for (const auto & file : files) {
      if (const auto text = pqc_tunnel::read_parameter_file(file); !text) {
        report_failure(text.error().message);
        return exit_misconfigured;
      }
    }
    rclcpp::init(argc, argv, rclcpp::InitOptions(), rclcpp::SignalHandlerOptions::None);
    pqc_tunnel::show_log();
    return run(files);
  } catch (const std::exception & error) {
    report_failure(error.what());
    return exit_misconfigured;  // wrong ROS arguments, or an unreadable parameter file
  }
}
