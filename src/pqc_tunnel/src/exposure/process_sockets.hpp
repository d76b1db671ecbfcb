// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__EXPOSURE__PROCESS_SOCKETS_HPP_
#define PQC_TUNNEL__EXPOSURE__PROCESS_SOCKETS_HPP_

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "pqc_tunnel/base/result.hpp"
#include "process_identity.hpp"
#include "socket_table.hpp"

namespace pqc_tunnel
{

struct Process
{
  int pid = 0;
  std::uint32_t user = 0;  // where the sockets can't be listed
  std::string name;
  bool readable = true;      // its sockets could be listed
  bool same_network = true;  // it lives in the network namespace that is looked at
  std::set<std::uint64_t> inodes = {};
  MappedLibraries libraries = {};  // where one of its sockets reaches beyond the loopback
};

// The sockets of one network namespace, and who holds them.
struct MachineSockets
{
  std::vector<SocketRow> rows;
  std::vector<Endpoint> groups;  // multicast groups joined beyond the loopback
  // By pid: those that hold a socket, that can't be looked into, or that live in another network
  // namespace.
  std::vector<Process> processes;
  bool processes_hidden = false;  // those of other users are not listed, or have no name (hidepid)
};

// Reads a mounted /proc, of the network namespace of whoever reads. Processes that end meanwhile
// are left out. An error if not even the lists of sockets can be read.
Result<MachineSockets> read_machine_sockets(const std::filesystem::path & proc_root);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__EXPOSURE__PROCESS_SOCKETS_HPP_
