// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef MACHINE_BUILDER_HPP_
#define MACHINE_BUILDER_HPP_

#include <cstdint>
#include <string>
#include <utility>

#include "exposure.hpp"
#include "pqc_tunnel/net/address.hpp"
#include "process_sockets.hpp"

namespace pqc_tunnel::exposure
{

constexpr auto any = "0.0.0.0";
constexpr auto any6 = "::";
constexpr auto loopback = "127.0.0.1";
constexpr auto own = "10.0.0.5";
constexpr auto stranger = "10.0.0.9";

inline Endpoint endpoint_of(const std::string & address, std::uint16_t port)
{
  return resolve(HostPort{address, port}).value().front();
}

// A machine with the processes and sockets of a test. Sockets belong to the process added last; sockets added before
// any process belong to one that this user cannot see.
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
  // The sockets that follow belong to hidden processes of this user.
  MachineBuilder & unseen(std::uint32_t user)
  {
    seen_ = false;
    user_ = user;
    return *this;
  }

  template <class... Ports>
  MachineBuilder & udp(const std::string & address, Ports... ports)
  {
    for (const int port : {static_cast<int>(ports)...}) {
      add(
        Transport::udp, SocketState::open, endpoint_of(address, static_cast<std::uint16_t>(port)));
    }
    return *this;
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
  // A connection from this machine to another one.
  MachineBuilder & to_stranger(Transport transport, std::uint16_t port)
  {
    return connected(transport, endpoint_of(own, 41000), endpoint_of(stranger, port));
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

inline ExposureReport judge(const MachineSockets & machine, const ExposureOptions & options = {})
{
  return judge_exposure(machine, options);
}

inline Verdict verdict_of(const MachineSockets & machine, const ExposureOptions & options = {})
{
  return judge(machine, options).verdict();
}

// The findings as sentences, each with its severity and kind; empty without findings.
inline std::string findings_of(const MachineSockets & machine, const ExposureOptions & options = {})
{
  std::string text;
  for (const Finding & finding : judge(machine, options).findings) {
    text += std::string(to_string(finding.severity)) + " " + to_string(finding.kind) + ": " +
            sentence(finding) + "\n";
  }
  return text;
}

inline ExposureOptions allowing(const std::string & text)
{
  ExposureOptions options;
  options.allowed.push_back(parse_allowed_socket(text).value());
  return options;
}

}  // namespace pqc_tunnel::exposure

#endif  // MACHINE_BUILDER_HPP_
