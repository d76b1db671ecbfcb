// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__LINK_EMULATOR__DATAGRAM_CHANNEL_HPP_
#define PQC_TOOLS__LINK_EMULATOR__DATAGRAM_CHANNEL_HPP_

#include <map>
#include <optional>

#include "bottleneck.hpp"
#include "common/dice.hpp"
#include "counters.hpp"
#include "loss.hpp"
#include "outages.hpp"
#include "pqc_tunnel/base/bytes.hpp"

namespace pqc_tunnel::link_emulator
{

// A datagram that has crossed the link, with its time of delivery.
struct Delivery
{
  Instant at;
  Bytes bytes;
};

// One direction of a link for datagrams, without a clock or sockets: the same seed and the same
// datagrams at the same instants give the same result. Each datagram draws once from each of several streams of
// numbers, so that for example more jitter does not change which datagrams are lost.
class DatagramChannel
{
public:
  // Keeps a reference to the bottleneck. Outages count from `start`.
  DatagramChannel(
    const ChannelSettings & settings, Bottleneck & bottleneck, std::uint64_t seed, Instant start);

  // Takes a datagram into the link, or drops it. `now` must not decrease.
  void handle_datagram(ByteView datagram, Instant now);
  void cut(bool is_cut) { cut_ = is_cut; }  // while cut, nothing passes
  // Returns the next datagram that is due by `now`.
  std::optional<Delivery> poll_delivery(Instant now);
  // Returns when the next datagram is due; Instant::max(): none is in flight.
  Instant next_timeout() const;

  const DatagramCounters & counters() const { return counters_; }
  std::size_t in_flight() const { return in_flight_.size(); }

private:
  struct Flying
  {
    std::uint64_t number;  // in order of arrival; a copy has the number of its original
    Bytes bytes;
  };
  void deliver(
    std::uint64_t number, Bytes bytes, Instant sent, double jitter, std::optional<Duration> held);
  void flip_a_bit(Bytes & bytes);
  bool spoil_bytes(Bytes & bytes);

  ChannelSettings settings_;
  Bottleneck & bottleneck_;
  Outages outages_;
  bool cut_ = false;
  Loss loss_;
  Dice jitter_;
  Dice copy_jitter_;
  Dice reorder_;
  Dice duplicate_;
  Dice corrupt_;
  Dice bit_;
  Dice byte_error_;
  Dice adversary_;
  Instant last_delivery_ = Instant::min();
  std::multimap<Instant, Flying> in_flight_;  // equal instants in order of arrival
  std::size_t bytes_in_flight_ = 0;
  std::uint64_t last_number_ = 0;
  std::uint64_t last_delivered_ = 0;
  DatagramCounters counters_;
};

}  // namespace pqc_tunnel::link_emulator

#endif  // PQC_TOOLS__LINK_EMULATOR__DATAGRAM_CHANNEL_HPP_
