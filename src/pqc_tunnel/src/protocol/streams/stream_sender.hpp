// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__STREAMS__STREAM_SENDER_HPP_
#define PQC_TUNNEL__PROTOCOL__STREAMS__STREAM_SENDER_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "byte_ranges.hpp"
#include "link/estimate/delivery_rate.hpp"
#include "protocol/wire/control_frame.hpp"
#include "stream.hpp"

namespace pqc_tunnel
{

// The pace of all lanes of the background together.
struct BackgroundPace
{
  double bytes_per_s = 0;    // on the line; 0: what the link delivers, as the foreground
  std::size_t overhead = 0;  // bytes on the line beside the payload of a frame
  std::size_t longest = 0;   // bytes of the longest payload
  StreamLane first{};        // the others wait until its message has arrived; foreground: none does
  bool yields_beyond =
    false;  // data may queue beyond this end, too: a growing round trip slows it down
};

// Sends messages in parts, foreground first and of the background the message with the fewest bytes left, at the pace
// that the link delivers or that is set for the background, and repeats each part until it is acknowledged. Loss alone
// does not slow it down; a growing round trip does.
class StreamSender
{
public:
  // `max_part`: bytes of the longest payload of a frame.
  explicit StreamSender(std::size_t max_part);

  // Starts a message, which replaces one of its lane that is under way. `repeat`: once a short message has been sent,
  // each unacknowledged part is repeated after this time, a limited number of times; 0: only lost parts are sent again.
  void send(StreamLane lane, Bytes message, Instant now, Duration repeat = {});
  void cancel(StreamLane lane) { clear(outbox(lane)); }
  bool busy(StreamLane lane) const { return message_bytes(lane) > 0; }
  std::size_t message_bytes(StreamLane lane) const { return outbox(lane).message.size(); }
  void set_pace(const BackgroundPace & pace) { pace_ = pace; }

  // Returns the next part that may leave now; its bytes are valid until the next call.
  std::optional<StreamPart> next(Instant now, LaneSet lanes = LaneSet::all);
  void handle_ack(const StreamAck & ack, Instant now);
  Instant next_timeout(LaneSet lanes = LaneSet::all) const;

  // Returns when new bytes of the foreground were acknowledged last.
  Instant last_progress() const { return last_progress_; }

private:
  struct Sent
  {
    ByteRange range;
    Instant at;
    bool paced = false;
  };
  struct Unanswered
  {
    DeliveryRate::Mark mark;
    bool paced = false;
  };
  struct Outbox
  {
    std::uint8_t id = 0;
    Bytes message;  // empty: no message under way
    Duration repeat{};
    int repeats = 0;  // that remain
    std::uint32_t next_offset = 0;
    std::deque<Sent> in_flight;  // in the order of sending
    std::deque<ByteRange> lost;  // to be sent again
    // Marks of all parts sent after the newest one that has arrived. Their numbers are consecutive.
    std::deque<Unanswered> unanswered;
    std::uint16_t first_unanswered = 0;
    Instant newest_arrived;  // when the newest part that has arrived was sent
    ByteRanges acknowledged;
  };

  Outbox & outbox(StreamLane lane) { return outboxes_[static_cast<std::size_t>(lane)]; }
  const Outbox & outbox(StreamLane lane) const { return outboxes_[static_cast<std::size_t>(lane)]; }
  bool yields(const Outbox & box) const
  {
    return pace_.bytes_per_s > 0 && &box != outboxes_.data();
  }
  // Returns whether a part of the message may leave without a pace.
  bool may_leave(const Outbox & box) const;
  std::array<Outbox *, stream_lane_count> in_order();
  std::optional<StreamPart> next_prompt(Instant now);
  std::optional<StreamPart> next_yielding(Instant now);
  // Returns when a part of a paced background may leave; max: not before an acknowledgement.
  Instant next_paced() const;
  void give_up_overdue(Instant now);
  Duration paced_patience() const;
  static void clear(Outbox & box);
  static bool has_more(const Outbox & box);
  static bool is_first_paced(const Outbox & box)
  {
    return !box.in_flight.empty() && box.in_flight.front().paced;
  }
  static void give_up_on(Outbox & box, const Sent & sent);
  ByteRange take_range(Outbox & box, std::size_t longest) const;
  static StreamPart part_of(Outbox & box, ByteRange range, const Unanswered & sent);
  void handle_answer(Outbox & box, const StreamAck & ack, Instant now);
  std::optional<StreamPart> next_repeat(Outbox & box, Instant now);
  static bool is_repeated(const Outbox & box);
  void find_lost(Outbox & box, Instant now);
  void handle_silence(Instant now);
  // Returns the bytes under way, of a paced background or all others.
  std::size_t in_flight(bool paced = false) const;
  std::optional<Instant> silence_ends() const;

  std::size_t max_part_;
  std::array<Outbox, stream_lane_count> outboxes_;
  BackgroundPace pace_;
  Instant next_paced_;  // no part of a paced background leaves before
  DeliveryRate paced_rate_;
  Duration paced_interval_{};
  Duration paced_rtt_;  // a long one of such parts
  DeliveryRate rate_;
  Instant last_progress_;
  Instant next_send_;
  Instant waiting_since_;  // since when no acknowledgement has come
  int silences_ = 0;       // silences in a row
  bool small_ = false;     // large parts seem to get lost, so that parts are small
  bool large_arrived_ = false;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__STREAMS__STREAM_SENDER_HPP_
