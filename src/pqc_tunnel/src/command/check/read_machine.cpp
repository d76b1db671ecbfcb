// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// Reads the state of this machine from /proc and /sys.

#include <sys/timex.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <sstream>
#include <tuple>

#include "machine.hpp"
#include "os/clock.hpp"

namespace pqc_tunnel::cli
{

namespace
{

namespace fs = std::filesystem;

// Returns the first line; empty if there is none.
std::string line_of(const fs::path & file)
{
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

std::chrono::nanoseconds difference_now()
{
  return std::chrono::system_clock::now().time_since_epoch() - monotonic_now().time_since_epoch();
}

// Returns the current limit from a line of /proc/PID/limits; none: unlimited.
std::optional<std::uint64_t> limit_in(const std::string & line, std::size_t name_length)
{
  std::uint64_t value = 0;
  return std::istringstream(line.substr(name_length)) >> value ? std::optional(value)
                                                               : std::nullopt;
}

template <class Action>
void for_each_entry(const fs::path & folder, Action && action)
{
  std::error_code stop;
  for (fs::directory_iterator entry(folder, stop), end; !stop && entry != end;
       entry.increment(stop)) {
    action(entry->path());
  }
}

// A port of the board that nothing is connected to has type 0.
bool is_serial_port(const fs::path & terminal)
{
  std::error_code ignored;
  return fs::exists(terminal / "device", ignored) && line_of(terminal / "type") != "0";
}

}  // namespace

ClockWatch::ClockWatch() : difference_(difference_now()) {}

ClockState ClockWatch::look(const MachineRoots & roots) const
{
  timex state{};
  const bool known = ::adjtimex(&state) >= 0;
  return {
    std::chrono::system_clock::now(),
    std::chrono::round<std::chrono::milliseconds>(difference_now() - difference_),
    !known || (state.status & STA_UNSYNC) == 0,
    line_of(roots.sys / "devices/system/clocksource/clocksource0/current_clocksource")};
}

std::optional<Rights> read_rights(const MachineRoots & roots, int pid)
{
  const fs::path process = roots.proc / (pid == 0 ? "self" : std::to_string(pid));
  std::ifstream limits(process / "limits");
  if (!limits) {
    return std::nullopt;
  }
  const RunningProgram program = describe_process(process, pid);
  Rights rights;
  rights.program = pid == 0 ? "this user" : to_string(program);
  rights.user = user_name(pid == 0 ? ::geteuid() : program.user);
  for (std::string line; std::getline(limits, line);) {
    constexpr std::size_t name_length = 25;
    if (line.starts_with("Max locked memory")) {
      rights.lock_bytes = limit_in(line, name_length);
    } else if (line.starts_with("Max realtime priority")) {
      rights.priority = limit_in(line, name_length).value_or(99);
    }
  }
  std::ifstream status(process / "status");
  for (std::string word; status >> word;) {
    if (word == "CapEff:" && status >> word) {
      std::from_chars(word.data(), word.data() + word.size(), rights.capabilities, 16);
    }
  }
  std::uint64_t bytes = 0;
  if (std::ifstream(roots.proc / "sys/net/core/rmem_max") >> bytes) {
    rights.buffer_bytes = bytes;
  }
  return rights;
}

std::vector<SerialDevice> read_serial_devices(const MachineRoots & roots)
{
  std::vector<SerialDevice> devices;
  for_each_entry(roots.sys / "class/tty", [&](const fs::path & terminal) {
    if (is_serial_port(terminal)) {
      std::error_code unknown;
      const fs::path driver = fs::read_symlink(terminal / "device/driver", unknown);
      const std::string name = terminal.filename();
      devices.push_back({name, driver.filename(), holders_of("/dev/" + name, roots.proc)});
    }
  });
  std::ranges::sort(devices, {}, &SerialDevice::name);
  return devices;
}

std::vector<Governor> read_governors(const MachineRoots & roots)
{
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> found;
  for_each_entry(roots.sys / "devices/system/cpu", [&](const fs::path & processor) {
    const fs::path scaling = processor / "cpufreq";
    if (const std::string governor = line_of(scaling / "scaling_governor"); !governor.empty()) {
      ++found[{
        governor, line_of(scaling / "scaling_driver"),
        line_of(scaling / "scaling_available_governors")}];
    }
  });
  std::vector<Governor> governors;
  for (const auto & [names, processors] : found) {
    const auto & [name, driver, available] = names;
    governors.push_back({name, driver, available, processors});
  }
  return governors;
}

}  // namespace pqc_tunnel::cli
