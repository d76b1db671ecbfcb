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

// Sends messages in parts, foreground first, at the pace that the link delivers, and repeats each part until it is
// acknowledged. Loss alone does not slow it down; a growing round trip does.
class StreamSender
{
public:
  // `max_part`: bytes of the longest payload of a frame.
  explicit StreamSender(std::size_t max_part) : max_part_(max_part) {}

  // Starts a message, which replaces one of its class that is under way. `repeat`: once a short message has been sent,
  // each unacknowledged part is repeated after this time, a limited number of times; 0: only lost parts are sent again.
  void send(StreamClass kind, Bytes message, Instant now, Duration repeat = {});
  void cancel(StreamClass kind) { clear(outbox(kind)); }
  bool busy(StreamClass kind) const { return message_bytes(kind) > 0; }
  std::size_t message_bytes(StreamClass kind) const { return outbox(kind).message.size(); }

  // Returns the next part that may leave now; its bytes are valid until the next call.
  std::optional<StreamPart> next(Instant now);
  void handle_ack(const StreamAck & ack, Instant now);
  Instant next_timeout() const;

  // Returns when new bytes were acknowledged last.
  Instant last_progress() const { return last_progress_; }

private:
  struct Sent
  {
    ByteRange range;
    Instant at;
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
    std::deque<DeliveryRate::Mark> unanswered;
    std::uint16_t first_unanswered = 0;
    Instant newest_arrived;  // when the newest part that has arrived was sent
    ByteRanges acknowledged;
  };

  Outbox & outbox(StreamClass kind) { return outboxes_[static_cast<std::size_t>(kind)]; }
  const Outbox & outbox(StreamClass kind) const
  {
    return outboxes_[static_cast<std::size_t>(kind)];
  }
  static void clear(Outbox & box);
  static bool has_more(const Outbox & box);
  static void give_up_on(Outbox & box, const Sent & sent);
  ByteRange take_range(Outbox & box) const;
  static StreamPart part_of(Outbox & box, ByteRange range, const DeliveryRate::Mark & mark);
  void handle_answer(Outbox & box, const StreamAck & ack, Instant now);
  std::optional<StreamPart> next_repeat(Outbox & box, Instant now);
  static bool is_repeated(const Outbox & box);
  void find_lost(Outbox & box, Instant now);
  void handle_silence(Instant now);
  std::size_t in_flight() const;
  std::optional<Instant> silence_ends() const;

  std::size_t max_part_;
  std::array<Outbox, 2> outboxes_;
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
