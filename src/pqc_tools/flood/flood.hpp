// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__FLOOD__FLOOD_HPP_
#define PQC_TOOLS__FLOOD__FLOOD_HPP_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "junk_datagrams.hpp"
#include "pqc_tunnel/base/result.hpp"
#include "pqc_tunnel/net/datagram_batch.hpp"
#include "pqc_tunnel/net/host_port.hpp"
#include "pqc_tunnel/net/poller.hpp"
#include "pqc_tunnel/net/sockets.hpp"
#include "pqc_tunnel/os/file_descriptor.hpp"

namespace pqc_tunnel::blaster
{

struct FloodOptions
{
  HostPort to;
  std::optional<HostPort> first_source;
  std::uint32_t sources = 1;
  std::optional<HostPort> spoofed;  // forged source address of the datagrams
  std::uint32_t datagrams_per_s = 0;
  Duration length{};  // zero: until a signal
  JunkPlan junk;
};

// Sends junk to the encrypted port of a tunnel at a given rate, from one or several own addresses or a forged one.
// One thread.
class Flood
{
public:
  static Result<std::unique_ptr<Flood>> open(FloodOptions options, FileDescriptor signals);

  void run();
  std::string report() const;

private:
  Flood(FloodOptions options, FileDescriptor signals);
  Result<void> open_sockets();
  Result<void> open_spoofing();
  void send_datagrams(Instant now);
  void take_answers(const Socket & socket);
  // Returns how many datagrams should have been sent by now.
  std::uint64_t due(Instant now) const;

  FloodOptions options_;
  FileDescriptor signals_;
  Poller poller_;
  Endpoint to_;
  std::optional<Endpoint> spoofed_;
  std::vector<Socket> sockets_;  // one for each source, used in turn
  std::size_t next_socket_ = 0;
  JunkDatagrams junk_;
  SendBatch out_;
  Bytes memory_;
  Instant started_;
  Instant ended_;
  std::uint64_t datagrams_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t answers_ = 0;
};

}  // namespace pqc_tunnel::blaster

#endif  // PQC_TOOLS__FLOOD__FLOOD_HPP_
