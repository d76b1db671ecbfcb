// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_EXPOSURE__PROCESS_SOCKETS_HPP_
#define PQC_EXPOSURE__PROCESS_SOCKETS_HPP_

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "pqc_tunnel/base/result.hpp"
#include "process_identity.hpp"
#include "socket_table.hpp"

namespace pqc_tunnel::exposure
{

struct Process
{
  int pid = 0;
  std::uint32_t user = 0;
  std::string name;
  bool readable = true;      // its sockets could be listed
  bool same_network = true;  // it is in the network namespace under examination
  std::set<std::uint64_t> inodes = {};
  MappedLibraries libraries = {};  // read if one of its sockets reaches beyond the loopback
};

// The sockets of one network namespace and the processes that hold them.
struct MachineSockets
{
  std::vector<SocketRow> rows;
  std::vector<Endpoint> groups;  // multicast groups joined beyond the loopback
  // Processes in the order of pids that hold a socket, are unreadable, or are in another network namespace.
  std::vector<Process> processes;
  bool processes_hidden = false;  // /proc does not list other users' processes or names (hidepid)
};

// Reads a mounted /proc, for the network namespace of this process. Omits processes that end meanwhile. Returns an error
// if the lists of sockets cannot be read.
Result<MachineSockets> read_machine_sockets(const std::filesystem::path & proc_root);

}  // namespace pqc_tunnel::exposure

#endif  // PQC_EXPOSURE__PROCESS_SOCKETS_HPP_
