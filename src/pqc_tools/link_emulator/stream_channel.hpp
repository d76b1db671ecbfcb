// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__LINK_EMULATOR__STREAM_CHANNEL_HPP_
#define PQC_TOOLS__LINK_EMULATOR__STREAM_CHANNEL_HPP_

#include <deque>
#include <optional>

#include "bottleneck.hpp"
#include "common/dice.hpp"
#include "counters.hpp"
#include "loss.hpp"
#include "outages.hpp"
#include "pqc_tunnel/base/bytes.hpp"

namespace pqc_tunnel::link_emulator
{

enum class StreamEnd : std::uint8_t
{
  none,
  finished,  // no more bytes follow in this direction
  reset,     // the connection broke
};

// Bytes that have crossed the link, or the end of the stream.
struct StreamDelivery
{
  Instant at;
  Bytes bytes;
  StreamEnd end = StreamEnd::none;
};

// One direction of one TCP connection across the link. No clock, no sockets. A stream arrives complete, unaltered and in
// order: TCP sends again what the link loses or corrupts, and later bytes wait for it.
class StreamChannel
{
public:
  static constexpr std::size_t longest_segment = 1460;

  // Keeps references to the bottleneck and the counters. `retransmission` is the time from a segment's loss
  // to its repetition; it doubles each time.
  StreamChannel(
    const ChannelSettings & settings, Bottleneck & bottleneck, StreamCounters & counters,
    Duration retransmission, std::uint64_t seed, Instant start);

  // The largest size that handle_bytes() accepts.
  std::size_t segment_bytes() const { return segment_bytes_; }
  // When the sender may go on: at most `now` if it may go on now, Instant::max() if only after the next delivery.
  Instant room_at(Instant now) const;
  // Takes one segment. Call it only when there is room; otherwise the queue overflows.
  void handle_bytes(ByteView bytes, Instant now);
  void handle_end(StreamEnd end, Instant now);
  std::optional<StreamDelivery> poll_delivery(Instant now);
  // When the next delivery is due; Instant::max() if none is.
  Instant next_timeout() const;
  bool idle() const { return in_flight_.empty(); }

private:
  void deliver(Bytes bytes, StreamEnd end, Instant sent);

  ChannelSettings settings_;
  Bottleneck & bottleneck_;
  StreamCounters & counters_;
  Duration retransmission_;
  std::size_t segment_bytes_;
  Outages outages_;
  double loss_chance_;
  Dice loss_;
  Dice jitter_;
  Dice corrupt_;
  std::deque<Instant> unsent_;  // when the newest segments will have left
  std::deque<StreamDelivery> in_flight_;
  std::size_t bytes_in_flight_ = 0;
  Instant last_sent_ = Instant::min();
  Instant last_delivery_ = Instant::min();
};

}  // namespace pqc_tunnel::link_emulator

#endif  // PQC_TOOLS__LINK_EMULATOR__STREAM_CHANNEL_HPP_
