// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <deque>
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
constexpr std::size_t most_undelivered = 60;  // in a row: ids are compared modulo 128
constexpr StreamClass classes[] = {StreamClass::foreground, StreamClass::background};

class World
{
public:
  explicit World(ByteProgram program)
  : program_(program), sender_(100 + program_.u16() % 1200), mad_(program_.flag())
  {
    for (const StreamClass kind : classes) {
      receiver_.expect(kind, longest);
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
    const StreamClass kind = classes[program_.pick(2)];
    switch (program_.pick(mad_ ? 9 : 7)) {
      case 0:
        send(kind, 1 + program_.u16() % longest);
        break;
      case 1:
        sender_.cancel(kind);
        expected_[static_cast<std::size_t>(kind)].reset();
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
        invent_part();
        break;
      case 8:
        invent_ack();
        break;
    }
  }

  void send(StreamClass kind, std::size_t size)
  {
    if (sent_[static_cast<std::size_t>(kind)].size() > most_undelivered) {
      return;
    }
    if (++messages_ % most_undelivered == 0) {
      parts_.clear();  // no datagram is held back for as long as that
    }
    Bytes message(size, static_cast<std::uint8_t>(messages_));
    message[0] = static_cast<std::uint8_t>(kind);
    auto & expected = expected_[static_cast<std::size_t>(kind)];
    sent_[static_cast<std::size_t>(kind)].push_back(message);
    expected = message;
    sender_.send(kind, std::move(message), now_);
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
    const std::size_t kind = message[0];
    must(kind < 2, "a message was sent");
    auto & sent = sent_[kind];
    const auto found = std::ranges::find(sent, message);
    must(found != sent.end(), "a message is delivered as it was sent, later ones not before");
    sent.erase(sent.begin(), found + 1);
    if (expected_[kind] == message) {
      expected_[kind].reset();
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
    for (int round = 0; round < 3000 && (sender_.busy(classes[0]) || sender_.busy(classes[1]));
         ++round) {
      now_ = std::max(now_ + 10ms, std::min(sender_.next_timeout(), now_ + 60s));
      collect();
      while (!parts_.empty()) {
        arrive(0, true);
        acknowledge(false);
      }
      acknowledge(false);
    }
    for (const StreamClass kind : classes) {
      must(!sender_.busy(kind), "a message is acknowledged once nothing is lost");
      must(!expected_[static_cast<std::size_t>(kind)], "the newest message has arrived");
    }
  }

  ByteProgram program_;
  StreamSender sender_;
  const bool mad_;
  StreamReceiver receiver_;
  Instant now_{1000s};
  std::deque<Part> parts_;
  std::deque<Bytes> sent_[2];
  std::optional<Bytes> expected_[2];
  std::uint32_t messages_ = 0;
};

}  // namespace
}  // namespace pqc_tunnel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size)
{
  pqc_tunnel::fuzz::World(pqc_tunnel::fuzz::ByteProgram({data, size})).run();
  return 0;
}
