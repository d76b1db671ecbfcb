// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__DAEMON__DAEMON_SHELL_HPP_
#define PQC_TUNNEL__DAEMON__DAEMON_SHELL_HPP_

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "control/control_server.hpp"
#include "engine/loop/engine.hpp"
#include "os/replaced_file.hpp"
#include "os/service_manager.hpp"
#include "os/wake_up.hpp"

namespace pqc_tunnel::cli
{

// Lets SIGINT and SIGTERM end the process at once with success until catch_signals(), and blocks the other three. The
// start may take seconds, for self-tests or a name server.
void end_on_stop_signals();

// Blocks SIGINT, SIGTERM, SIGUSR1, SIGUSR2 and SIGHUP from now on, and returns a descriptor to read them.
FileDescriptor catch_signals();

struct ShellOptions
{
  // The status goes to standard output or this file each second.
  bool print_status = false;
  std::optional<ReplacedFile> status_file;
  // The path of the control socket; without it the parameter control_name names the socket.
  std::optional<std::filesystem::path> control;
};

// The main thread of pqc_tunneld while the engine runs: log, status, signals and control socket.
class DaemonShell
{
public:
  DaemonShell(Engine & engine, WakeUp & activity, FileDescriptor signals);

  Result<void> open(ShellOptions options);
  // Runs until SIGINT or SIGTERM (returns true), or until the engine has stopped by itself (false). Stops the engine.
  bool run();

private:
  void write_when_due();
  void wait();
  void handle_signals();
  void handle_activity();
  Result<void> open_control();
  void rekey_all(const std::string & reason);
  void wipe_all();
  void reload();
  bool has_status() const { return options_.print_status || options_.status_file; }
  void write_status();
  void write_sign_of_life() const;
  void write_status_file(const std::string & json);

  Engine & engine_;
  WakeUp & activity_;
  FileDescriptor signals_;
  ShellOptions options_;
  const std::chrono::microseconds watchdog_ = watchdog_limit();
  std::chrono::steady_clock::time_point next_status_;
  std::chrono::steady_clock::time_point next_sign_of_life_;
  bool status_file_fails_ = false;
  std::atomic<bool> stop_ = false;
  std::unique_ptr<ControlServer> control_;  // its thread uses the members above
};

}  // namespace pqc_tunnel::cli

#endif  // PQC_TUNNEL__DAEMON__DAEMON_SHELL_HPP_
