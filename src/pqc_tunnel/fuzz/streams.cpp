// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <deque>
#include <iterator>
#include <optional>

#include "byte_program.hpp"
#include "property.hpp"
#include "protocol/streams/stream_receiver.hpp"
#include "protocol/streams/stream_sender.hpp"

// A sender and a receiver of streams, between them a network that loses, repeats and delays: what is delivered was sent, and
// the newest message arrives once the network lets everything through. In half of the runs the other end invents parts and
// acknowledgements, too: then only the limits hold.

namespace pqc_tunnel::fuzz
{
namespace
{

using namespace std::chrono_literals;

constexpr std::size_t longest = 9000;
constexpr std::size_t most_undelivered = 30;  // in a row: ids are compared modulo 64
constexpr StreamLane lanes[] = {
  StreamLane::foreground, StreamLane::first, StreamLane::second, StreamLane::third};
constexpr std::size_t lane_count = std::size(lanes);

class World
{
public:
  explicit World(ByteProgram program)
  : program_(program), sender_(100 + program_.u16() % 1200), mad_(program_.flag())
  {
    for (const StreamLane lane : lanes) {
      receiver_.expect(lane, longest);
    }
  }

  void run()
  {
    for (int step = 0; step < 300 && !program_.done(); ++step) {
      operate();
    }
    if (!mad_) {
      settle();
    }
  }

private:
  struct Part
  {
    std::uint8_t id;
    std::uint16_t number;
    std::uint32_t offset;
    std::uint32_t total;
    Bytes bytes;
  };

  void operate()
  {
    const StreamLane lane = lanes[program_.pick(lane_count)];
    switch (program_.pick(mad_ ? 10 : 8)) {
      case 0:
        send(lane, 1 + program_.u16() % longest);
        break;
      case 1:
        sender_.cancel(lane);
        expected_[static_cast<std::size_t>(lane)].reset();
        break;
      case 2:
        now_ += std::chrono::milliseconds(program_.u8());
        collect();
        break;
      case 3:
        arrive(program_.u16(), true);
        break;
      case 4:
        arrive(program_.u16(), false);
        break;
      case 5:
        if (!parts_.empty()) {
          parts_.erase(
            parts_.begin() + static_cast<std::ptrdiff_t>(program_.u16() % parts_.size()));
        }
        break;
      case 6:
        acknowledge(program_.flag());
        break;
      case 7:
        set_pace();
        break;
      case 8:
        invent_part();
        break;
      case 9:
        invent_ack();
        break;
    }
  }

  void set_pace()
  {
    BackgroundPace pace;
    pace.bytes_per_s = program_.flag() ? 0 : 500.0 + static_cast<double>(program_.u16());
    pace.overhead = program_.u8();
    pace.longest = 73 + program_.u16() % 1200;
    pace.yields_beyond = program_.flag();
    sender_.set_pace(pace);
    receiver_.set_paced(pace.bytes_per_s > 0);
  }

  void send(StreamLane lane, std::size_t size)
  {
    if (sent_[static_cast<std::size_t>(lane)].size() > most_undelivered) {
      return;
    }
    if (++messages_ % most_undelivered == 0) {
      parts_.clear();  // no datagram is held back for as long as that
    }
    Bytes message(size, static_cast<std::uint8_t>(messages_));
    message[0] = static_cast<std::uint8_t>(lane);
    auto & expected = expected_[static_cast<std::size_t>(lane)];
    sent_[static_cast<std::size_t>(lane)].push_back(message);
    expected = message;
    sender_.send(lane, std::move(message), now_);
  }

  // What the sender would send now waits in the network.
  void collect()
  {
    for (int count = 0; count < 64; ++count) {
      const auto part = sender_.next(now_);
      if (!part) {
        return;
      }
      must(part->offset + part->bytes.size() <= part->total, "a part lies within its message");
      parts_.push_back(
        {part->id, part->number, part->offset, part->total,
         Bytes(part->bytes.begin(), part->bytes.end())});
      if (parts_.size() > 200) {
        parts_.pop_front();
      }
    }
  }

  void arrive(std::size_t which, bool leaves)
  {
    if (parts_.empty()) {
      return;
    }
    const auto at = parts_.begin() + static_cast<std::ptrdiff_t>(which % parts_.size());
    const Part part = *at;
    if (leaves) {
      parts_.erase(at);
    }
    const auto message =
      receiver_.handle_part({part.id, part.number, part.offset, part.total, part.bytes}, now_);
    if (message) {
      delivered(*message);
    }
  }

  // Anything that the parser of parts lets through.
  void invent_part()
  {
    const Bytes bytes(1 + program_.u8(), std::uint8_t{0xee});
    StreamPart part;
    part.id = program_.u8();
    part.number = static_cast<std::uint16_t>(program_.u16());
    part.offset = static_cast<std::uint32_t>(program_.u16());
    part.total =
      static_cast<std::uint32_t>(part.offset + bytes.size() + program_.u8() * program_.u16());
    part.bytes = bytes;
    if (const auto message = receiver_.handle_part(part, now_)) {
      delivered(*message);
    }
  }

  void invent_ack()
  {
    StreamAck ack;
    ack.id = program_.u8();
    ack.newest = static_cast<std::uint16_t>(program_.u16());
    ack.waited_us = static_cast<std::uint16_t>(program_.u16());
    ack.through = static_cast<std::uint32_t>(program_.u16());
    ack.range_count = program_.pick(StreamAck::max_ranges + 1);
    for (std::size_t i = 0; i < ack.range_count; ++i) {
      const auto offset = static_cast<std::uint32_t>(program_.u16());
      ack.ranges[i] = {offset, static_cast<std::uint32_t>(program_.u16())};
    }
    sender_.handle_ack(ack, now_);
  }

  void delivered(const Bytes & message)
  {
    must(message.size() <= longest, "a message is no longer than expected");
    if (mad_) {
      return;
    }
    const std::size_t lane = message[0];
    must(lane < lane_count, "a message was sent");
    auto & sent = sent_[lane];
    const auto found = std::ranges::find(sent, message);
    must(found != sent.end(), "a message is delivered as it was sent, later ones not before");
    sent.erase(sent.begin(), found + 1);
    if (expected_[lane] == message) {
      expected_[lane].reset();
    }
  }

  void acknowledge(bool lost)
  {
    for (int count = 0; count < 8; ++count) {
      const auto ack = receiver_.take_ack(now_);
      if (!ack) {
        return;
      }
      if (!lost) {
        sender_.handle_ack(*ack, now_);
      }
    }
  }

  // Everything gets through from now on.
  void settle()
  {
    parts_.clear();
    const auto busy = [this](StreamLane lane) { return sender_.busy(lane); };
    for (int round = 0; round < 3000 && std::ranges::any_of(lanes, busy); ++round) {
      now_ = std::max(now_ + 10ms, std::min(sender_.next_timeout(), now_ + 60s));
      collect();
      while (!parts_.empty()) {
        arrive(0, true);
        acknowledge(false);
      }
      acknowledge(false);
    }
    for (const StreamLane lane : lanes) {
      must(!sender_.busy(lane), "a message is acknowledged once nothing is lost");
      must(!expected_[static_cast<std::size_t>(lane)], "the newest message has arrived");
    }
  }

  ByteProgram program_;
  StreamSender sender_;
  const bool mad_;
  StreamReceiver receiver_;
  Instant now_{1000s};
  std::deque<Part> parts_;
  std::deque<Bytes> sent_[lane_count];
  std::optional<Bytes> expected_[lane_count];
  std::uint32_t messages_ = 0;
};

}  // namespace
}  // namespace pqc_tunnel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size)
{
  pqc_tunnel::fuzz::World(pqc_tunnel::fuzz::ByteProgram({data, size})).run();
  return 0;
}
