// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "protocol/streams/stream_receiver.hpp"
#include "protocol/streams/stream_sender.hpp"
#include "protocol/wire/constants.hpp"
#include "support/pair/stream_parts.hpp"

// What each end of a stream makes of a peer that says anything at all, and what it costs.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr std::size_t max_part = 1200;
constexpr StreamLane foreground = StreamLane::foreground;
const Instant start{1h};

// --- The sender ---

TEST(StreamSender, ignores_an_acknowledgement_of_bytes_that_the_message_does_not_have)
{
  for (const bool as_range : {false, true}) {
    StreamSender sender(max_part);
    sender.send(foreground, Bytes(100, 1), start);
    const auto part = sender.next(start);
    ASSERT_TRUE(part);
    StreamAck beyond = ack_of(*part, as_range ? 0 : 101);
    if (as_range) {
      beyond.ranges[0] = {0, 101};
      beyond.range_count = 1;
    }
    sender.handle_ack(beyond, start + 1ms);
    EXPECT_NE(sender.last_progress(), start + 1ms);
    sender.handle_ack(ack_of(*part, 100), start + 2ms);
    EXPECT_FALSE(sender.busy(foreground)) << as_range;
  }
}

TEST(StreamSender, ignores_an_acknowledgement_of_another_message)
{
  StreamSender sender(max_part);
  sender.send(foreground, Bytes(100, 1), start);
  const auto part = sender.next(start);
  ASSERT_TRUE(part);
  StreamAck other = ack_of(*part, 100);
  ++other.id;
  sender.handle_ack(other, start + 1ms);
  other.id = part->id | 0x40;
  sender.handle_ack(other, start + 1ms);
  EXPECT_TRUE(sender.busy(foreground));
  EXPECT_NE(sender.last_progress(), start + 1ms);
}

// The next one to be sent would be one beyond the end of what is remembered.
TEST(StreamSender, takes_no_round_trip_from_an_acknowledgement_of_a_part_that_it_never_sent)
{
  for (const std::uint16_t ahead : std::initializer_list<std::uint16_t>{1, 2, 100, 0x7fff}) {
    StreamSender sender(max_part);
    sender.send(foreground, Bytes(3 * max_part, 1), start);
    const auto parts = take_all(sender, start);
    ASSERT_GT(parts.size(), 2u);
    StreamAck ack = ack_of(parts.back(), 0);
    ack.newest = static_cast<std::uint16_t>(ack.newest + ahead);
    sender.handle_ack(ack, start + 1ms);
    EXPECT_EQ(sender.next_timeout(), start + 1ms + 500ms) << "no round trip is known";
    sender.handle_ack(ack_of(parts.back(), 0), start + 2ms);
    EXPECT_LT(sender.next_timeout(), start + 2ms + 500ms);
  }
}

TEST(StreamSender, is_not_filled_by_acknowledgements_of_nothing)
{
  StreamSender sender(max_part);
  sender.send(foreground, Bytes(3 * max_part, 1), start);
  const auto parts = take_all(sender, start);
  for (std::uint32_t offset = 1; offset <= ByteRanges::max_ranges;) {
    StreamAck ack = ack_of(parts.front(), 0);
    for (; ack.range_count < StreamAck::max_ranges; ++ack.range_count) {
      ack.ranges.at(ack.range_count) = {offset++, 0};
    }
    sender.handle_ack(ack, start);
  }
  StreamAck ack = ack_of(parts.back(), 0);
  ack.ranges[0] = {parts.back().offset, 1};
  ack.range_count = 1;
  sender.handle_ack(ack, start + 1ms);
  EXPECT_EQ(sender.last_progress(), start + 1ms);
}

// A peer that answers nothing costs a bounded memory: what it acknowledges after all tells no round trip.
TEST(StreamSender, forgets_which_parts_it_sent_long_ago)
{
  StreamSender sender(max_part);
  sender.send(foreground, Bytes(100, 1), start);
  const auto first = sender.next(start);
  ASSERT_TRUE(first);
  Instant now = start;
  for (int sent = 0; sent < 8200;) {
    now = std::max(now, sender.next_timeout());
    sent += sender.next(now) ? 1 : 0;
  }
  sender.handle_ack(ack_of(*first, 0), now);
  EXPECT_LE(sender.next_timeout(), now + 2s) << "no round trip of hours";
}

TEST(StreamSender, repeats_a_short_message_some_times_and_a_longer_one_only_when_it_is_lost)
{
  constexpr std::size_t longest_short = 4 * universal_payload;
  for (const std::size_t size : {std::size_t{100}, longest_short, longest_short + 1}) {
    StreamSender sender(size == 100 ? max_part : 2 * longest_short);
    sender.send(foreground, Bytes(size, 1), start, 5ms);
    int sent = 0;
    for (Instant now = start; now < start + 400ms; now += 1ms) {
      sent += static_cast<int>(take_all(sender, now).size());
    }
    EXPECT_EQ(sent, size <= longest_short ? 1 + exchange_steady_tries : 1) << size;
  }
}

TEST(StreamSender, repeats_every_part_of_a_short_message)
{
  StreamSender sender(max_part);
  sender.send(foreground, Bytes(3000, 1), start, 5ms);
  std::size_t sent = 0;
  for (Instant now = start; now < start + 400ms; now += 1ms) {
    sent += take_all(sender, now).size();
  }
  EXPECT_GE(sent, std::size_t{3} * exchange_steady_tries);
  EXPECT_LE(sent, std::size_t{3} * (1 + exchange_steady_tries));
}

TEST(StreamSender, gets_on_by_an_acknowledgement_of_the_end_of_a_message)
{
  StreamSender sender(max_part);
  sender.send(foreground, Bytes(3000, 1), start);
  const StreamPart last = take_all(sender, start).back();
  sender.handle_ack(ack_of(last), start + 1ms);
  EXPECT_EQ(sender.last_progress(), start + 1ms);
}

TEST(StreamSender, sends_all_of_a_short_message_at_once_even_after_a_silence)
{
  StreamSender sender(max_part);
  constexpr std::size_t size = 4 * universal_payload;
  sender.send(foreground, Bytes(size, 1), start, 1s);
  EXPECT_EQ(bytes_of(take_all(sender, start)), size);
  EXPECT_EQ(sender.next_timeout(), start + 500ms);
  EXPECT_EQ(bytes_of(take_all(sender, start + 500ms)), size);
}

// --- The receiver ---

struct Receiving
{
  Receiving() { receiver.expect(foreground, 100'000); }
  std::optional<Bytes> come(std::uint16_t number, std::uint32_t offset, std::size_t size)
  {
    const Bytes bytes(size, 1);
    return receiver.handle_part({5, number, offset, 1000, bytes}, now);
  }
  StreamReceiver receiver;
  Instant now = start;
};

TEST(StreamPart, with_a_number_is_newer_than_the_32767_before_it)
{
  for (const std::uint16_t than : {std::uint16_t{0}, std::uint16_t{65535}}) {
    const auto ahead = [than](int by) { return static_cast<std::uint16_t>(than + by); };
    EXPECT_FALSE(is_newer_part(ahead(0), than));
    EXPECT_TRUE(is_newer_part(ahead(1), than));
    EXPECT_TRUE(is_newer_part(ahead(0x7fff), than));
    EXPECT_FALSE(is_newer_part(ahead(0x8000), than));
    EXPECT_FALSE(is_newer_part(ahead(-1), than));
  }
}

TEST(StreamReceiver, takes_a_first_message_with_any_id_and_later_ones_up_to_31_ahead)
{
  const Bytes byte = {1};
  const Instant now{1s};  // shortly after the machine has started
  for (const std::uint8_t first : std::initializer_list<std::uint8_t>{0, 1, 31, 32, 50, 63}) {
    for (const std::uint8_t ahead : std::initializer_list<std::uint8_t>{1, 31, 32, 63}) {
      StreamReceiver receiver;
      receiver.expect(foreground, 100);
      EXPECT_TRUE(receiver.handle_part({first, 0, 0, 1, byte}, now)) << int{first};
      const auto next = static_cast<std::uint8_t>((first + ahead) & 0x3f);
      EXPECT_EQ(receiver.handle_part({next, 0, 0, 1, byte}, now).has_value(), ahead <= 31);
      EXPECT_EQ(receiver.next_timeout(), ahead <= 31 ? now : Instant{}) << "an answer is due";
    }
  }
}

TEST(StreamReceiver, says_how_long_the_newest_part_has_waited)
{
  Receiving one;
  one.come(7, 0, 10);
  EXPECT_EQ(one.receiver.next_timeout(), start + 10ms);
  const auto ack = one.receiver.take_ack(start + 10ms);
  ASSERT_TRUE(ack);
  EXPECT_EQ(ack->newest, 7);
  EXPECT_EQ(ack->waited_us, 10'000);
  one.now += 20ms;
  one.come(7, 0, 10);  // a copy of it
  EXPECT_EQ(one.receiver.take_ack(one.now + 1ms)->waited_us, 1000);
}

TEST(StreamReceiver, answers_every_second_part_at_once_and_a_gap_a_copy_and_the_last_one)
{
  Receiving one;
  const auto answered = [&one] {
    const bool now = one.receiver.next_timeout() <= one.now;
    while (one.receiver.take_ack(one.now + 10ms)) {
    }
    return now;
  };
  one.come(0, 0, 100);
  EXPECT_FALSE(answered());
  one.come(1, 100, 100);
  one.come(2, 200, 100);
  EXPECT_TRUE(answered());
  one.come(3, 200, 100);
  EXPECT_TRUE(answered()) << "a copy";
  one.come(4, 300, 100);
  EXPECT_FALSE(answered());
  one.come(5, 500, 400);
  EXPECT_TRUE(answered()) << "a gap";
  one.come(6, 400, 100);
  EXPECT_FALSE(answered()) << "the gap is filled";
  EXPECT_TRUE(one.come(7, 900, 100));
  EXPECT_TRUE(answered()) << "the last one";
  one.now += 1s;
  EXPECT_FALSE(one.come(8, 0, 100));
  EXPECT_TRUE(answered()) << "all of it is here";
}

TEST(StreamReceiver, answers_small_parts_at_a_pace_rarely_and_each_lane_for_itself)
{
  StreamReceiver receiver;
  for (const StreamLane lane : {foreground, StreamLane::first, StreamLane::third}) {
    receiver.expect(lane, 10'000);
  }
  receiver.set_paced(true);
  const Bytes bytes(100, 1);
  Instant now = start;
  for (std::uint16_t n = 0; n < 7; ++n, now += 500ms) {
    receiver.handle_part({0x41, n, n * 100U, 10'000, bytes}, now);
    if (n == 0) {
      EXPECT_TRUE(receiver.take_ack(now + 10ms));  // the pace is not known yet
    } else {
      EXPECT_EQ(receiver.next_timeout(), start + 500ms + 2s);
    }
    if (now == start + 2s) {
      break;
    }
  }
  receiver.handle_part({0x01, 0, 0, 200, bytes}, now);
  receiver.handle_part({0xc1, 0, 0, 100, bytes}, now);
  EXPECT_FALSE(receiver.take_ack(now, LaneSet::prompt)) << "the foreground waits for a second part";
  EXPECT_EQ(receiver.take_ack(now, LaneSet::yielding)->id, 0xc1) << "all of it is here";
  EXPECT_EQ(receiver.progress(StreamLane::first).bytes, 500U);
  EXPECT_EQ(receiver.progress(StreamLane::first).total, 10'000U);
}

TEST(StreamReceiver, gets_on_by_new_bytes_alone)
{
  Receiving one;
  one.come(0, 0, 100);
  EXPECT_EQ(one.receiver.progress(foreground).at, start);
  one.now += 1s;
  one.come(1, 0, 100);
  EXPECT_EQ(one.receiver.progress(foreground).at, start);
}

TEST(StreamReceiver, names_each_range_once_and_none_that_begins_the_message)
{
  Receiving one;
  one.come(0, 0, 10);
  EXPECT_EQ(one.receiver.take_ack(start + 10ms)->range_count, 0u);
  one.come(1, 100, 1);
  one.come(2, 200, 1);
  one.come(3, 101, 1);
  one.come(4, 99, 1);
  const auto ack = one.receiver.take_ack(start);
  ASSERT_TRUE(ack);
  ASSERT_EQ(ack->range_count, 2u);
  EXPECT_EQ(ack->ranges[0].offset, 99u);
  EXPECT_EQ(ack->ranges[0].length, 3u);
  EXPECT_EQ(ack->ranges[1].offset, 200u);
  one.come(5, 10, 89);
  EXPECT_EQ(one.receiver.take_ack(start)->range_count, 1u) << "the first one reaches to it";
}

// However many gaps a peer leaves, what is remembered of them is bounded.
TEST(StreamReceiver, remembers_64_ranges_that_grew_last)
{
  constexpr std::uint32_t remembered = 4 * StreamAck::max_ranges;
  for (const std::uint32_t later : {remembered - 1, remembered}) {
    Receiving one;
    one.come(0, 900, 1);
    for (std::uint32_t i = 0; i < later; ++i) {
      one.come(1, 10 + 2 * i, 1);
    }
    one.come(2, 10, 2 * later);  // all of them are one range
    const auto ack = one.receiver.take_ack(start);
    ASSERT_TRUE(ack);
    EXPECT_EQ(ack->range_count, later < remembered ? 2u : 1u);
  }
}

}  // namespace
}  // namespace pqc_tunnel::test
