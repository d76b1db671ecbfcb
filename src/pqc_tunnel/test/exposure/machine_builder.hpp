// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef IO__MACHINE_BUILDER_HPP_
#define IO__MACHINE_BUILDER_HPP_

#include <cstdint>
#include <string>
#include <utility>

#include "exposure/process_sockets.hpp"
#include "pqc_tunnel/net/address.hpp"

namespace pqc_tunnel
{

inline Endpoint endpoint_of(const std::string & address, std::uint16_t port)
{
  return resolve(HostPort{address, port}).value().front();
}

// A machine with the processes and sockets that a test gives it: sockets belong to the process
// added last, and before there is one to nobody whom this user can see.
class MachineBuilder
{
public:
  MachineBuilder & process(
    const std::string & name, int pid, Middleware middleware = Middleware::none)
  {
    Process process;
    process.name = name;
    process.pid = pid;
    process.libraries.middleware = middleware;
    machine_.processes.push_back(std::move(process));
    seen_ = true;
    return *this;
  }
  MachineBuilder & mavlink_library()
  {
    machine_.processes.back().libraries.mavlink = true;
    return *this;
  }
  MachineBuilder & unreadable(const std::string & name, int pid, std::uint32_t user)
  {
    process(name, pid);
    machine_.processes.back().readable = false;
    machine_.processes.back().user = user;
    seen_ = false;
    return *this;
  }
  MachineBuilder & elsewhere(const std::string & name, int pid)
  {
    process(name, pid);
    machine_.processes.back().same_network = false;
    return *this;
  }
  // From now on sockets belong to processes of this user that can't be seen.
  MachineBuilder & unseen(std::uint32_t user)
  {
    seen_ = false;
    user_ = user;
    return *this;
  }

  MachineBuilder & udp(const std::string & address, std::uint16_t port)
  {
    return add(Transport::udp, SocketState::open, endpoint_of(address, port));
  }
  MachineBuilder & tcp(const std::string & address, std::uint16_t port)
  {
    return add(Transport::tcp, SocketState::listening, endpoint_of(address, port));
  }
  MachineBuilder & connected(Transport transport, const Endpoint & local, const Endpoint & remote)
  {
    add(transport, SocketState::connected, local);
    machine_.rows.back().remote = remote;
    return *this;
  }
  MachineBuilder & group(const std::string & address)
  {
    machine_.groups.push_back(endpoint_of(address, 0));
    return *this;
  }
  MachineBuilder & hidden()
  {
    machine_.processes_hidden = true;
    return *this;
  }

  operator const MachineSockets &() const { return machine_; }

private:
  MachineBuilder & add(Transport transport, SocketState state, const Endpoint & local)
  {
    SocketRow row;
    row.transport = transport;
    row.state = state;
    row.local = local;
    row.user = user_;
    row.inode = ++inode_;
    machine_.rows.push_back(row);
    if (seen_) {
      machine_.processes.back().inodes.insert(row.inode);
    }
    return *this;
  }

  MachineSockets machine_;
  bool seen_ = false;
  std::uint32_t user_ = 1000;
  std::uint64_t inode_ = 0;
};

}  // namespace pqc_tunnel

#endif  // IO__MACHINE_BUILDER_HPP_
