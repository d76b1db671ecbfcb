// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "daemon_shell.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iostream>

#include "command_line/command_line.hpp"
#include "control/status_text.hpp"
#include "os/clock.hpp"

namespace pqc_tunnel::cli
{

namespace
{

constexpr std::chrono::seconds status_interval{1};
}  // namespace

void end_on_stop_signals()
{
  sigset_t later;
  sigemptyset(&later);
  sigaddset(&later, SIGUSR1);
  sigaddset(&later, SIGUSR2);
  sigaddset(&later, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &later, nullptr);
  struct sigaction action
  {
  };
  action.sa_handler = [](int) { ::_exit(exit_success); };
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

FileDescriptor catch_signals()
{
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGHUP}) {
    sigaddset(&set, number);
  }
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return FileDescriptor(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
}

DaemonShell::DaemonShell(Engine & engine, WakeUp & activity, FileDescriptor signals)
: engine_(engine), activity_(activity), signals_(std::move(signals))
{
}

Result<void> DaemonShell::open(ShellOptions options)
{
  options_ = std::move(options);
  return open_control();
}

Result<void> DaemonShell::open_control()
{
  const auto request_stop = [this] {
    stop_ = true;
    activity_.notify();
  };
  const std::string & name = engine_.config().control_name;
  if (!options_.control && name.empty()) {
    return {};
  }
  auto control = options_.control ? ControlServer::open(engine_, *options_.control, request_stop)
                                  : ControlServer::open_named(engine_, name, request_stop);
  if (control) {
    control_ = std::move(*control);
  } else if (options_.control) {
    return tl::make_unexpected(control.error());
  } else {
    std::cerr << log_line("WARN", control.error().message + without_control) << std::endl;
  }
  return {};
}

bool DaemonShell::run()
{
  handle_activity();
  while (!stop_ && engine_.latest().running) {
    write_when_due();
    wait();
    handle_signals();
    handle_activity();
  }
  // The engine answers the waiting requests and reports its last events.
  engine_.stop();
  handle_activity();
  if (has_status()) {
    write_status();
  }
  return stop_;
}

void DaemonShell::write_when_due()
{
  constexpr auto never = std::chrono::steady_clock::time_point::max();
  if (std::chrono::steady_clock::now() >= next_status_) {
    if (has_status()) {
      write_status();
    }
    next_status_ = has_status() ? std::chrono::steady_clock::now() + status_interval : never;
  }
  if (std::chrono::steady_clock::now() >= next_sign_of_life_) {
    if (watchdog_.count() > 0) {
      write_sign_of_life();
    }
    next_sign_of_life_ =
      watchdog_.count() > 0 ? std::chrono::steady_clock::now() + watchdog_ / 3 : never;
  }
}

void DaemonShell::wait()
{
  std::array<pollfd, 2> ready{{{signals_.get(), POLLIN, 0}, {activity_.fd(), POLLIN, 0}}};
  const auto due = std::min(next_status_, next_sign_of_life_);
  int limit = -1;
  if (due != std::chrono::steady_clock::time_point::max()) {
    const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(due - std::chrono::steady_clock::now());
    limit = std::max(0, static_cast<int>(left.count()) + 1);
  }
  ::poll(ready.data(), ready.size(), limit);
}

void DaemonShell::handle_signals()
{
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof(info)) == static_cast<ssize_t>(sizeof(info))) {
    if (info.ssi_signo == SIGUSR1) {
      rekey_all("SIGUSR1");
    } else if (info.ssi_signo == SIGUSR2) {
      wipe_all();
    } else if (info.ssi_signo == SIGHUP) {
      reload();
    } else {
      stop_ = true;
    }
  }
}

void DaemonShell::rekey_all(const std::string & reason)
{
  for (const PeerIndex peer : engine_.latest().peers.served()) {
    engine_.request_rekey(peer, "", reason);
  }
}

void DaemonShell::wipe_all()
{
  for (const PeerIndex peer : engine_.latest().peers.served()) {
    engine_.wipe(peer);
  }
}

// An event says what has changed.
void DaemonShell::reload()
{
  if (const auto done = engine_.reload(); !done) {
    std::cerr << log_line("WARN", done.error().message) << std::endl;
  }
}

void DaemonShell::handle_activity()
{
  activity_.clear();
  for (const Event & event : engine_.take_events()) {
    if (severity(event) != EventSeverity::debug) {
      std::cerr << event_line(event, engine_) << "\n";
    }
  }
  for (const RekeyReply & reply : engine_.take_rekey_replies()) {
    std::cerr << log_line(reply.success ? "INFO" : "WARN", "Rekey requested here: " + reply.message)
              << "\n";
    if (control_) {
      control_->answer(reply);
    }
  }
  std::cerr.flush();
}

void DaemonShell::write_status()
{
  const std::string json = status_json(engine_) + "\n";
  if (options_.print_status) {
    std::cout << json << std::flush;
  }
  if (options_.status_file) {
    write_status_file(json);
  }
}

// The packet thread takes the snapshot. If it stands still, the service manager hears nothing and starts the tunnel anew.
void DaemonShell::write_sign_of_life() const
{
  const Instant asked = monotonic_now();
  if (engine_.snapshot().time + watchdog_ / 3 >= asked) {
    tell_service_manager("WATCHDOG=1");
  }
}

void DaemonShell::write_status_file(const std::string & json)
{
  const auto written = options_.status_file->replace(json);
  if (written.has_value() != status_file_fails_) {
    return;
  }
  status_file_fails_ = !written;
  std::cerr << log_line(
                 written ? "INFO" : "WARN",
                 written ? "Writing the status file works again."
                         : written.error().message + " The file keeps the previous status.")
            << std::endl;
}

}  // namespace pqc_tunnel::cli
