// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__RELAY__PLAIN_RELAY_HPP_
#define PQC_TOOLS__RELAY__PLAIN_RELAY_HPP_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "pqc_tunnel/base/result.hpp"
#include "pqc_tunnel/net/datagram_batch.hpp"
#include "pqc_tunnel/net/poller.hpp"
#include "pqc_tunnel/net/sockets.hpp"
#include "pqc_tunnel/os/file_descriptor.hpp"

namespace pqc_tunnel::relay
{

struct RelayOptions
{
  HostPort link;
  // In the order of the drones, of which the relay of a ground station may have several.
  std::vector<HostPort> plaintexts;
  std::vector<HostPort> applications;
  std::vector<HostPort> peers;
  bool batched = true;
  std::size_t max_datagram = 2048;
  std::size_t receive_buffer_bytes = std::size_t{4} << 20;
};

// One end of a tunnel without cryptography, as a baseline for the cost of the tunnel: it forwards datagrams unaltered
// between the link and a socket for each drone. `batched`: up to 64 per system call, as the tunnel does; otherwise one, as
// the simplest program does.
class PlainRelay
{
public:
  static Result<std::unique_ptr<PlainRelay>> open(RelayOptions options, FileDescriptor signals);

  // Runs until a signal.
  void run();

private:
  struct Drone
  {
    Socket plaintext;
    Endpoint application;
    Endpoint peer;
  };
  struct Way
  {
    const Socket * by = nullptr;  // null: there is none
    const Endpoint * to = nullptr;
  };

  PlainRelay(RelayOptions options, FileDescriptor signals);
  Result<void> add_drone(std::size_t index);
  // Return the way of what arrives at the plaintext socket of a drone, or at the link (null) from this address.
  Way way(const Drone * drone, const sockaddr_storage & source) const;
  void forward(const Drone * drone);

  RelayOptions options_;
  FileDescriptor signals_;
  Poller poller_;
  Socket link_;
  std::vector<Drone> drones_;  // sorted by the ports of the peers
  ReceiveBatch in_;
  SendBatch out_;
};

}  // namespace pqc_tunnel::relay

#endif  // PQC_TOOLS__RELAY__PLAIN_RELAY_HPP_
