// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__LINK_EMULATOR__DATAGRAM_RELAY_HPP_
#define PQC_TOOLS__LINK_EMULATOR__DATAGRAM_RELAY_HPP_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "pqc_tunnel/net/datagram_batch.hpp"
#include "pqc_tunnel/net/poller.hpp"
#include "pqc_tunnel/net/sockets.hpp"
#include "relay.hpp"

namespace pqc_tunnel::link_emulator
{

// Large enough for a flood of small datagrams, so that only the profile causes losses.
inline constexpr std::size_t receive_buffer_bytes = std::size_t{4} << 20;

// The UDP path between the newest sender to the listening port and one address of the ground station. With nat_rebind
// in the profile the ground sees the drone at another port from time to time, and loses what it sends to the old one.
class DatagramRelay : public Relay
{
public:
  DatagramRelay(
    Link & link, Poller & poller, Socket drone_side, Socket ground_side, Endpoint ground);

  void handle_readable(Side side, Instant now) override;

  std::uint16_t port() const { return sockets_[0].port; }
  std::uint64_t rebinds() const { return rebinds_; }
  EndCounters end_counters(Side side) const override;

protected:
  void send_due(Side from, Instant now) override;

private:
  void rebind();

  Poller & poller_;
  std::array<Socket, 2> sockets_;
  std::array<Endpoint, 2> addresses_;  // receiver on each side
  std::optional<Duration> rebind_interval_;
  Instant next_rebind_ = Instant::max();
  std::uint64_t rebinds_ = 0;
  ReceiveBatch received_;
  SendBatch sending_;
  std::vector<Bytes> kept_;  // the bytes that sending_ refers to
};

}  // namespace pqc_tunnel::link_emulator

#endif  // PQC_TOOLS__LINK_EMULATOR__DATAGRAM_RELAY_HPP_
