// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__STREAMS__STREAM_RECEIVER_HPP_
#define PQC_TUNNEL__PROTOCOL__STREAMS__STREAM_RECEIVER_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "byte_ranges.hpp"
#include "protocol/wire/control_frame.hpp"
#include "stream.hpp"

namespace pqc_tunnel
{

// Reassembles the messages of a peer's streams. It holds one message per lane, and no more bytes than the owner
// expects.
class StreamReceiver
{
public:
  // Sets the bytes of the longest message that is accepted; 0: none.
  void expect(StreamLane lane, std::size_t max_size) { inbox(lane).limit = max_size; }
  // Sets whether the background keeps to a pace. It is then acknowledged rarely.
  void set_paced(bool paced) { paced_ = paced; }

  // Refuses the message of this lane that is arriving. The answer to its next part tells the sender, and its parts no
  // longer count as progress.
  void decline(StreamLane lane);

  // Returns the message if the part completes it.
  std::optional<Bytes> handle_part(const StreamPart & part, Instant now);

  // Returns the next acknowledgement that is due.
  std::optional<StreamAck> take_ack(Instant now, LaneSet lanes = LaneSet::all);
  Instant next_timeout(LaneSet lanes = LaneSet::all) const;

  struct Progress
  {
    Instant at;               // when new bytes arrived last
    std::uint32_t bytes = 0;  // of the message, that are here
    std::uint32_t total = 0;  // 0: none has begun
  };
  Progress progress(StreamLane lane) const;
  // Returns the bytes of incomplete messages.
  std::size_t message_bytes() const;
  std::uint64_t refused() const { return refused_; }

private:
  struct Inbox
  {
    std::size_t limit = 0;
    std::optional<std::uint8_t> id;
    Instant heard;  // when its newest part arrived
    std::uint32_t total = 0;
    bool complete = false;
    Bytes message;
    ByteRanges received;
    std::uint32_t here = 0;    // bytes of it
    Instant progress;          // when new ones arrived last
    std::uint16_t newest = 0;  // highest number of a part that has arrived
    Instant newest_came;
    Duration interval{};                // between that one and the one before
    std::deque<std::uint32_t> changed;  // a position in each range, latest change first
    std::size_t unacknowledged = 0;     // parts
    Instant ack_at = Instant::max();
  };

  Inbox & inbox(StreamLane lane) { return inboxes_[static_cast<std::size_t>(lane)]; }
  bool yields(StreamLane lane) const { return paced_ && is_background(lane); }
  bool belongs(std::size_t lane, LaneSet lanes) const;
  static void note_change(Inbox & box, ByteRange added);
  bool begin(Inbox & box, const StreamPart & part, Instant now);
  static StreamAck ack_of(const Inbox & box, Instant now);

  std::array<Inbox, stream_lane_count> inboxes_;
  bool paced_ = false;
  std::optional<StreamAck> outdated_;  // answers a part of an older message
  std::uint64_t refused_ = 0;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__STREAMS__STREAM_RECEIVER_HPP_
