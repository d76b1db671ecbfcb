// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__LINK_EMULATOR__RELAY_HPP_
#define PQC_TOOLS__LINK_EMULATOR__RELAY_HPP_

#include <algorithm>
#include <array>
#include <cstdint>

#include "datagram_channel.hpp"
#include "link.hpp"

namespace pqc_tunnel::link_emulator
{

// Carries packets between the channels of a link and its two ends, sockets or serial devices. The poller has the
// descriptors that it reads as Source::link, numbered by Side.
class Relay
{
public:
  // Counts at the ends, in addition to those of the link.
  struct EndCounters
  {
    std::uint64_t strangers = 0;     // received on the ground's side from another address
    std::uint64_t unsent = 0;        // rejected by the system, or no receiver is known yet
    std::uint64_t kernel_drops = 0;  // arrived faster than they were read
  };

  explicit Relay(Link & link)
  : channels_{
      DatagramChannel(
        link.settings(Side::drone), link.bottleneck(Side::drone), link.datagram_seed(Side::drone),
        link.start()),
      DatagramChannel(
        link.settings(Side::ground), link.bottleneck(Side::ground),
        link.datagram_seed(Side::ground), link.start())}
  {
  }
  virtual ~Relay() = default;
  Relay(const Relay &) = delete;
  Relay & operator=(const Relay &) = delete;

  virtual void handle_readable(Side side, Instant now) = 0;
  void handle_timeout(Instant now)
  {
    for (const Side side : both_sides) {
      send_due(side, now);
    }
  }
  // Cuts or restores the link. While it is cut, nothing passes.
  void cut(bool is_cut)
  {
    for (DatagramChannel & channel : channels_) {
      channel.cut(is_cut);
    }
  }
  Instant next_timeout() const
  {
    return std::min(channels_[0].next_timeout(), channels_[1].next_timeout());
  }

  const DatagramChannel & channel(Side side) const { return channels_[index(side)]; }
  virtual EndCounters end_counters(Side side) const { return counters_[index(side)]; }

protected:
  // Sends the packets that have crossed the link from this side.
  virtual void send_due(Side from, Instant now) = 0;

  std::array<DatagramChannel, 2> channels_;
  std::array<EndCounters, 2> counters_ = {};
};

}  // namespace pqc_tunnel::link_emulator

#endif  // PQC_TOOLS__LINK_EMULATOR__RELAY_HPP_
