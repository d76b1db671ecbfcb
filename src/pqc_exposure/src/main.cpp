// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "exposure_node.hpp"
#include "pqc_tunnel/base/shown_text.hpp"
#include "pqc_tunnel/os/thread.hpp"

namespace
{

// The exit code after which launch files end, because a restart would change nothing.
constexpr int exit_misconfigured = 2;
constexpr int niceness = 10;
constexpr std::chrono::seconds farewell(3);

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

// Waits for the signal to stop on a thread of its own. The process ends even if Fast DDS 3.2 hangs, which it can when
// two participants leave at the same moment.
void stop_on_signal()
{
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // the threads that start later inherit this
  std::thread([signals] {
    int signal = 0;
    sigwait(&signals, &signal);
    rclcpp::shutdown();
    std::this_thread::sleep_for(farewell);
    std::_Exit(EXIT_SUCCESS);
  }).detach();
}

}  // namespace

int main(int argc, char ** argv)
{
  try {
    pqc_tunnel::lower_priority(niceness);
    stop_on_signal();
    rclcpp::init(argc, argv, rclcpp::InitOptions(), rclcpp::SignalHandlerOptions::None);
    rclcpp::spin(
      std::make_shared<pqc_tunnel::exposure::ExposureNode>(parameter_files({argv, argv + argc})));
    return EXIT_SUCCESS;
  } catch (const std::exception & error) {
    std::fprintf(stderr, "exposure_node: %s\n", pqc_tunnel::shown(error.what()).c_str());
    return exit_misconfigured;
  }
}
