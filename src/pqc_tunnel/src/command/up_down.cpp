// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iostream>
#include <optional>
#include <thread>

#include "command_line/stop_signals.hpp"
#include "config/config.hpp"
#include "control/control_folder.hpp"
#include "given.hpp"
#include "net/sockets.hpp"
#include "subprocess.hpp"
#include "tunnels.hpp"

namespace pqc_tunnel::cli
{

namespace
{

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds pause{20};
constexpr std::chrono::seconds stop_limit{15};

tl::unexpected<Error> failure(const std::string & sentence)
{
  return fail(ErrorCode::unavailable, sentence);
}

// --- systemd ---

std::string unit_of(const std::string & tunnel) { return "pqc@" + tunnel + ".service"; }

// "active", "inactive" …; empty if systemd does not run this tunnel. The unit uses the default folders.
std::string unit_state(const std::string & tunnel)
{
  if (control_folder() != service_folder || config_path(tunnel).parent_path() != "/etc/pqc") {
    return "";
  }
  const std::string text = output_of(
    {"systemctl", "show", "--property=LoadState,ActiveState", "--value", unit_of(tunnel)});
  return text.starts_with("loaded\n") ? text.substr(7, text.find('\n', 7) - 7) : "";
}

Result<int> up_with_systemd(const std::string & tunnel)
{
  if (run_program({"systemctl", "start", unit_of(tunnel)}) == 0) {
    std::cout << "The tunnel " << tunnel << " is up, as " << unit_of(tunnel) << ".\n";
    return exit_success;
  }
  if (::getpwnam(service_user) == nullptr) {  // NOLINT(concurrency-mt-unsafe)
    const fs::path prefix = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
    return failure(
      unit_of(tunnel) + " needs the user " + service_user + ": systemd-sysusers " +
      (prefix / "lib/sysusers.d/pqc.conf").string() + " adds it.");
  }
  run_program({"journalctl", "--quiet", "--output=cat", "--lines=5", "--unit", unit_of(tunnel)});
  return failure(
    "The tunnel " + tunnel + " did not start; the lines above are its log. systemd tries again " +
    "unless its parameters or keys are wrong; pqc down " + tunnel + " ends that.");
}

// --- Without systemd ---

bool answers(const std::string & tunnel)
{
  return request(tunnel, "status", std::chrono::seconds(1)).has_value();
}

// The sentence with which the daemon ended.
std::string last_sentence(const fs::path & log)
{
  const std::string prefix = "pqc_tunneld: ";
  std::ifstream file(log);
  std::string sentence;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(prefix)) {
      sentence = line.substr(prefix.size());
    }
  }
  return sentence;
}

// Stops a daemon that has not started yet, unless the caller keeps it.
class StartingDaemon
{
public:
  StartingDaemon(pid_t process, fs::path log) : process_(process), log_(std::move(log)) {}
  ~StartingDaemon()
  {
    if (process_ > 0) {
      ::kill(process_, SIGTERM);
      wait_for(process_);
    }
    std::error_code ignored;
    fs::remove(log_, ignored);
  }
  StartingDaemon(const StartingDaemon &) = delete;
  StartingDaemon & operator=(const StartingDaemon &) = delete;

  void keep()
  {
    process_ = -1;
    log_.clear();
  }
  bool has_ended()
  {
    if (process_ > 0 && ::waitpid(process_, nullptr, WNOHANG) == process_) {
      process_ = -1;
    }
    return process_ < 0;
  }

private:
  pid_t process_;
  fs::path log_;
};

Result<int> up_in_background(const std::string & tunnel)
{
  if (const auto made = make_control_folder(); !made) {
    return tl::make_unexpected(made.error());
  }
  const FileDescriptor stop = catch_stop_signals();
  const fs::path log = control_folder() / (tunnel + ".log");
  std::error_code ignored;
  fs::remove(log, ignored);
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / "pqc_tunneld";
  const pid_t process = start_in_background(
    {program.string(), "--config", config_path(tunnel).string(), "--control",
     control_path(tunnel).string()},
    log);
  if (process < 0) {
    return failure(program.string() + " can't be started: " + error_text(errno) + ".");
  }
  StartingDaemon starting(process, log);
  while (!answers(tunnel)) {
    pollfd stopped{stop.get(), POLLIN, 0};
    if (::poll(&stopped, 1, static_cast<int>(pause.count())) > 0) {
      return failure("Interrupted: the tunnel " + tunnel + " was not started.");
    }
    if (starting.has_ended()) {
      const std::string reason = last_sentence(log);
      return failure(
        "The tunnel " + tunnel + " did not start: " +
        (reason.empty() ? "it ended without a reason; pqc check " + tunnel + " may find one."
                        : reason));
    }
  }
  starting.keep();
  std::cout << "The tunnel " << tunnel << " is up; its log is " << log.string() << ".\n";
  return exit_success;
}

Result<int> down_in_background(const std::string & tunnel)
{
  const auto chosen = choose_tunnel(tunnel);
  if (!chosen) {
    return tl::make_unexpected(chosen.error());
  }
  const auto answer = request(tunnel, "stop");
  if (!answer) {
    return failure(
      "The tunnel " + tunnel + " is not up: it ended without cleaning up, or does not answer.");
  }
  if (!answer->json["success"].as<bool>(false)) {
    return failure(answer->json["message"].as<std::string>(""));
  }
  const auto end = std::chrono::steady_clock::now() + stop_limit;
  std::error_code ignored;
  while (fs::exists(control_path(tunnel), ignored)) {
    if (std::chrono::steady_clock::now() > end) {
      return failure("The tunnel " + tunnel + " has not stopped yet.");
    }
    std::this_thread::sleep_for(pause);
  }
  std::cout << "The tunnel " << tunnel << " is down.\n";
  return exit_success;
}

}  // namespace

Result<int> up(const Given & given)
{
  const std::string tunnel = given.tunnel();
  std::error_code ignored;
  if (!is_tunnel_name(tunnel) || !fs::exists(config_path(tunnel), ignored)) {
    return tl::make_unexpected(no_such_tunnel(tunnel, configured_tunnels()));
  }
  if (answers(tunnel)) {
    return failure("The tunnel " + tunnel + " is up already.");
  }
  return unit_state(tunnel).empty() ? up_in_background(tunnel) : up_with_systemd(tunnel);
}

Result<int> down(const Given & given)
{
  const std::string tunnel = given.tunnel();
  const std::string state = is_tunnel_name(tunnel) ? unit_state(tunnel) : "";
  if (state.empty() || state == "inactive" || state == "failed") {
    return down_in_background(tunnel);
  }
  if (run_program({"systemctl", "stop", unit_of(tunnel)}) != 0) {
    return failure("systemd could not stop " + unit_of(tunnel) + ".");
  }
  std::cout << "The tunnel " << tunnel << " is down.\n";
  return exit_success;
}

}  // namespace pqc_tunnel::cli
