// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__DAEMON__DAEMON_SHELL_HPP_
#define PQC_TUNNEL__DAEMON__DAEMON_SHELL_HPP_

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "control_socket.hpp"
#include "engine/engine.hpp"
#include "os/replaced_file.hpp"
#include "os/wake_up.hpp"

namespace pqc_tunnel::cli
{

// Until catch_signals(), SIGINT and SIGTERM end the process at once with success, and SIGUSR1 is held back.
// A start may take seconds, for self-tests or a name server.
void end_on_stop_signals();

// Blocks SIGINT, SIGTERM and SIGUSR1 for this thread and those to come, and makes them readable.
FileDescriptor catch_signals();

struct ShellOptions
{
  // Where the status is written each second.
  bool print_status = false;
  std::optional<ReplacedFile> status_file;
  std::optional<std::filesystem::path> control;  // local socket
};

// The main thread of pqc_tunneld while the engine runs: log, status, signals and control socket.
class DaemonShell
{
public:
  DaemonShell(Engine & engine, WakeUp & activity, FileDescriptor signals);

  Result<void> open(ShellOptions options);
  // Until SIGINT or SIGTERM (returns true), or until the engine has stopped by itself (false). Stops the engine.
  bool run();

private:
  void wait();
  void handle_signals();
  void handle_activity();
  void handle_control();
  void answer_request(const ControlSocket::Request & request);
  void begin_rekey(const ControlSocket::Request & request);
  void rekey_all(const std::string & reason);
  bool has_status() const { return options_.print_status || options_.status_file; }
  void write_status();
  void write_status_file(const std::string & json);

  Engine & engine_;
  WakeUp & activity_;
  FileDescriptor signals_;
  ShellOptions options_;
  std::optional<ControlSocket> control_;
  std::map<RekeyId, std::uint64_t> callers_;  // the caller that waits for each rekey
  std::chrono::steady_clock::time_point next_status_;
  bool status_file_fails_ = false;
  bool stop_ = false;
};

}  // namespace pqc_tunnel::cli

#endif  // PQC_TUNNEL__DAEMON__DAEMON_SHELL_HPP_
