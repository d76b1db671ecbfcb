// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__LINK_EMULATOR__DATAGRAM_RELAY_HPP_
#define PQC_TOOLS__LINK_EMULATOR__DATAGRAM_RELAY_HPP_

#include <array>
#include <cstdint>
#include <vector>

#include "datagram_channel.hpp"
#include "link.hpp"
#include "pqc_tunnel/net/datagram_batch.hpp"
#include "pqc_tunnel/net/poller.hpp"
#include "pqc_tunnel/net/sockets.hpp"

namespace pqc_tunnel::link_emulator
{

// The UDP path between the newest sender to the listening port and one address of the ground station.
class DatagramRelay
{
public:
  // Counts at the sockets, beside those of the link.
  struct SocketCounters
  {
    std::uint64_t strangers = 0;     // received on the ground's side from another address
    std::uint64_t unsent = 0;        // rejected by the system, or no receiver is known yet
    std::uint64_t kernel_drops = 0;  // arrived faster than they were read
  };

  // Watches both sockets as Source::link, numbered as Side.
  DatagramRelay(
    Link & link, Poller & poller, Socket drone_side, Socket ground_side, Endpoint ground);

  void handle_readable(Side side, Instant now);
  void handle_timeout(Instant now);
  Instant next_timeout() const;

  std::uint16_t port() const { return sockets_[0].port; }
  const DatagramChannel & channel(Side side) const { return channels_[index(side)]; }
  SocketCounters socket_counters(Side side) const;

private:
  void send_due(Side from, Instant now);

  std::array<Socket, 2> sockets_;
  std::array<DatagramChannel, 2> channels_;
  std::array<Endpoint, 2> addresses_;  // the receiver on each side
  std::array<SocketCounters, 2> counters_;
  ReceiveBatch received_;
  SendBatch sending_;
  std::vector<Bytes> kept_;  // the bytes that sending_ refers to
};

}  // namespace pqc_tunnel::link_emulator

#endif  // PQC_TOOLS__LINK_EMULATOR__DATAGRAM_RELAY_HPP_
