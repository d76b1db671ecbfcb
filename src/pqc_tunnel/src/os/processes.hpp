// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__OS__PROCESSES_HPP_
#define PQC_TUNNEL__OS__PROCESSES_HPP_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pqc_tunnel
{

struct RunningProgram
{
  int pid = 0;
  std::uint32_t user = 0;
  std::string name;
};

/// Describes the process of a folder of /proc, with what this user may see of it.
RunningProgram describe_process(const std::filesystem::path & folder, int pid);

/// Returns "NAME (pid N)".
std::string to_string(const RunningProgram & program);

/// Returns the other processes that have the device open. Only root sees all of them. `proc`: the proc file system.
std::vector<RunningProgram> holders_of(
  const std::string & device, const std::filesystem::path & proc = "/proc");

/// Returns the other processes with an unconnected UDP socket on this local port. Only root sees all of them.
std::vector<RunningProgram> holders_of(std::uint16_t port);

inline constexpr std::string_view tunnel_node_name = "tunnel_node";

/// Returns true for tunnel_node and pqc_tunneld.
bool is_tunnel(std::string_view name);

/// Returns the other processes of programs with such a name, of any user.
std::vector<RunningProgram> programs_named(
  const std::function<bool(std::string_view)> & is_wanted,
  const std::filesystem::path & proc = "/proc");

/// Returns the name of a user, or "user 1000" if it has none.
std::string user_name(std::uint32_t user);

/// Returns the name of a process for people: its program file, or the script or module that an interpreter runs.
/// `command_line`: the text of /proc/PID/cmdline, whose words end with zeros; `short_name`: that of /proc/PID/comm,
/// which the kernel cuts off after 15 characters.
std::string program_name(std::string_view short_name, std::string_view command_line);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__OS__PROCESSES_HPP_
