// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__RELAY__PLAIN_RELAY_HPP_
#define PQC_TOOLS__RELAY__PLAIN_RELAY_HPP_

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "pqc_tunnel/base/result.hpp"
#include "pqc_tunnel/net/datagram_batch.hpp"
#include "pqc_tunnel/net/poller.hpp"
#include "pqc_tunnel/net/sockets.hpp"
#include "pqc_tunnel/os/file_descriptor.hpp"

namespace pqc_tunnel::relay
{

struct RelayOptions
{
  // [0] is the application's side, [1] the link's.
  std::array<HostPort, 2> binds;
  std::array<HostPort, 2> peers;
  bool batched = true;
  std::size_t max_datagram = 2048;
  std::size_t receive_buffer_bytes = std::size_t{4} << 20;
};

// One end of a tunnel without cryptography, as a baseline for the cost of the tunnel: it forwards datagrams unaltered
// between its sides. `batched`: up to 64 datagrams per system call, as the tunnel does; otherwise one, as the simplest
// program does.
class PlainRelay
{
public:
  static Result<std::unique_ptr<PlainRelay>> open(RelayOptions options, FileDescriptor signals);

  // Runs until a signal.
  void run();

  // Returns JSON: datagrams forwarded, refused by a socket, and too long, each way.
  std::string report() const;

private:
  struct Side
  {
    Socket socket;
    Endpoint peer;
    std::uint64_t forwarded = 0;  // arrived here and left by the other side
    std::uint64_t refused = 0;
    std::uint64_t too_long = 0;
  };

  PlainRelay(RelayOptions options, FileDescriptor signals);
  Result<void> open_side(std::size_t index, const std::string & purpose);
  void forward_batch(Side & from, Side & to);
  void forward_one(Side & from, Side & to);

  RelayOptions options_;
  FileDescriptor signals_;
  Poller poller_;
  std::array<Side, 2> sides_;
  ReceiveBatch in_;
  SendBatch out_;
};

}  // namespace pqc_tunnel::relay

#endif  // PQC_TOOLS__RELAY__PLAIN_RELAY_HPP_
