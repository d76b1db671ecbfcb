// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__FLOOD__FLOOD_HPP_
#define PQC_TOOLS__FLOOD__FLOOD_HPP_

#include <memory>
#include <optional>
#include <string>

#include "junk_datagrams.hpp"
#include "pqc_tunnel/base/result.hpp"
#include "pqc_tunnel/net/datagram_batch.hpp"
#include "pqc_tunnel/net/poller.hpp"
#include "pqc_tunnel/net/sockets.hpp"
#include "pqc_tunnel/os/file_descriptor.hpp"
#include "stranger_connections.hpp"

namespace pqc_tunnel::blaster
{

struct FloodOptions
{
  std::optional<HostPort> datagrams_to;
  std::optional<HostPort> connect_to;
  std::optional<HostPort> first_source;  // source address of connections
  std::uint32_t sources = 1;
  std::uint32_t datagrams_per_s = 0;
  std::uint32_t connections_per_s = 0;
  std::size_t size = 256;  // of the longest datagram, bytes
  Duration length{};       // zero: until a signal
  std::optional<FrameHeader> live;
  const Suite * suite = nullptr;
};

// Sends junk to a datagram port and a handshake port at given rates. One thread.
class Flood
{
public:
  static Result<std::unique_ptr<Flood>> open(FloodOptions options, FileDescriptor signals);

  void run();
  std::string report() const;

private:
  Flood(FloodOptions options, FileDescriptor signals);
  Result<void> open();
  void send_datagrams(Instant now);
  void open_connections(Instant now);
  // How many should have been sent by now.
  std::uint64_t due(std::uint32_t per_s, Instant now) const;

  FloodOptions options_;
  FileDescriptor signals_;
  Poller poller_;
  Socket socket_;
  Endpoint datagrams_to_;
  std::unique_ptr<JunkDatagrams> junk_;
  std::unique_ptr<StrangerConnections> strangers_;
  std::unique_ptr<SendBatch> out_;
  Bytes memory_;
  Instant started_;
  Instant ended_;
  std::uint64_t datagrams_ = 0;
  std::uint64_t connections_ = 0;
  std::uint64_t refused_ = 0;
};

}  // namespace pqc_tunnel::blaster

#endif  // PQC_TOOLS__FLOOD__FLOOD_HPP_
