// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "link/estimate/arrival_rate.hpp"
#include "link/estimate/delivery_rate.hpp"
#include "support/pair/stream_link.hpp"

// Large messages in parts, over a link with loss, delay and disorder, under a virtual clock.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

TEST(ByteRanges, merge_what_touches_and_count_what_is_new)
{
  ByteRanges ranges;
  EXPECT_EQ(ranges.add({10, 20}), 10u);
  EXPECT_EQ(ranges.add({30, 40}), 10u);
  EXPECT_EQ(ranges.through(), 0u);
  EXPECT_EQ(ranges.add({15, 35}), 10u);
  EXPECT_EQ(ranges.ranges(), (std::vector<ByteRange>{{10, 40}}));
  EXPECT_EQ(ranges.add({0, 10}), 10u);
  EXPECT_EQ(ranges.through(), 40u);
  EXPECT_TRUE(ranges.contains({5, 40}));
  EXPECT_FALSE(ranges.contains({5, 41}));
  ranges.add({50, 60});
  for (const ByteRange & outside : {ByteRange{40, 50}, {42, 44}, {45, 55}, {55, 61}, {60, 61}}) {
    EXPECT_FALSE(ranges.contains(outside)) << outside.begin;
  }
}

TEST(StreamPart, is_read_back_as_it_was_written_and_refused_if_impossible)
{
  const Bytes bytes = {7, 8, 9};
  const Bytes payload = encode(StreamPart{0x85, 0x1415, 0x010203, 0x0a0b0c, bytes});
  EXPECT_EQ(payload, Bytes({0x85, 0x14, 0x15, 1, 2, 3, 10, 11, 12, 7, 8, 9}));
  const auto part = parse_stream_part(payload);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->number, 0x1415);
  EXPECT_EQ(part->offset, 0x010203u);
  EXPECT_EQ(part->total, 0x0a0b0cu);
  EXPECT_EQ(part->bytes.size(), 3u);
  EXPECT_FALSE(parse_stream_part(Bytes(9)));
  EXPECT_FALSE(parse_stream_part(encode(StreamPart{0, 0, 8, 10, bytes})));
}

TEST(Stream, brings_messages_of_any_size_over_any_link)
{
  const Link links[] = {
    {},
    {0.2},
    {0.4, 30ms, 60ms},
    {0.05, 300ms, 10ms},
    {0.02, 30ms, {}, 7200},
    {0, 10ms, 50ms, 0, 1 << 16, 0.5},
    {0.1, 10ms, {}, 0, 600}};
  for (const Link & link : links) {
    for (const std::size_t size : {1u, 500u, 1193u, 1194u, 5000u, 60'000u}) {
      Streams streams(link, size);
      const Bytes message = streams.message(size);
      streams.sender().send(StreamLane::foreground, message, streams.now());
      ASSERT_TRUE(streams.run_until(
        [&] {
          return !streams.received().empty() && !streams.sender().busy(StreamLane::foreground);
        },
        300s))
        << size << " bytes, loss " << link.loss;
      EXPECT_EQ(streams.received(), std::vector<Bytes>{message});
    }
  }
}

// Time for 1.36 MB as a share of what the link needs at least.
double use_of(const Link & link)
{
  Streams streams(link);
  const Bytes message = streams.message(1'360'000);
  streams.sender().send(StreamLane::first, message, streams.now());
  const Instant begun = streams.now();
  EXPECT_TRUE(streams.run_until([&] { return !streams.received().empty(); }, 600s));
  const double least = 1'360'000 * (1200.0 + 51) / 1193 / (1 - link.loss) / link.bytes_per_s;
  return least / std::chrono::duration<double>(streams.now() - begun).count();
}

TEST(Stream, of_a_mceliece_key_uses_most_of_a_link_with_or_without_loss)
{
  EXPECT_GT(use_of({0, 20ms, {}, 250'000}), 0.7);
  EXPECT_GT(use_of({0.2, 20ms, {}, 250'000}), 0.7);
}

TEST(Stream, of_a_mceliece_key_takes_few_round_trips_where_nothing_limits_it)
{
  for (const Duration delay : {Duration(100us), Duration(1ms), Duration(10ms)}) {
    Streams streams({0, delay});
    streams.sender().send(StreamLane::first, streams.message(1'360'000), streams.now());
    const Instant begun = streams.now();
    ASSERT_TRUE(streams.run_until([&] { return !streams.received().empty(); }, 60s));
    EXPECT_LT((streams.now() - begun) / (2 * delay), 25);
  }
}

// The way down of a mobile network: 30 Mbit/s, 35 to 55 ms each way.
TEST(Stream, of_a_mceliece_key_finds_what_a_link_takes_in_spite_of_jitter)
{
  constexpr double bytes_per_s = 3.75e6;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Streams streams(
      {.loss = 0.003,
       .delay = 35ms,
       .jitter = 20ms,
       .bytes_per_s = bytes_per_s,
       .keeps_order = true},
      seed);
    ArrivalRate rate;
    double least = bytes_per_s;
    streams.watch([&](std::size_t bytes) {
      rate.handle_part(bytes, 90ms, streams.now());
      least = rate.is_sure(streams.now()) ? std::min(least, *rate.bytes_per_s()) : least;
    });
    streams.sender().send(StreamLane::first, streams.message(1'360'000), streams.now());
    EXPECT_TRUE(streams.run_until([&] { return !streams.received().empty(); }, 4s)) << seed;
    EXPECT_GT(least, 0.1 * bytes_per_s) << seed;
  }
}

TEST(Stream, sends_little_more_than_the_message_over_a_good_link)
{
  Streams streams({0, 20ms, {}, 250'000});
  streams.sender().send(StreamLane::first, streams.message(500'000), streams.now());
  ASSERT_TRUE(streams.run_until([&] { return !streams.received().empty(); }, 60s));
  EXPECT_LT(streams.sent_bytes(), 530'000u);
}

TEST(Stream, goes_in_small_parts_to_its_end_where_large_ones_are_lost)
{
  Streams streams({0, 100ms, {}, 250'000, 1000});
  for (std::size_t messages = 1; messages <= 2; ++messages) {
    streams.sender().send(StreamLane::foreground, streams.message(20'000), streams.now());
    ASSERT_TRUE(streams.run_until([&] { return streams.received().size() == messages; }, 3s));
  }
  EXPECT_LT(streams.sent_bytes(), 50'000u);
}

TEST(Stream, of_the_foreground_overtakes_one_of_the_background)
{
  Streams streams({0, 20ms, {}, 20'000});
  const Bytes small = streams.message(3000);
  streams.sender().send(StreamLane::first, streams.message(200'000), streams.now());
  streams.run_until([] { return false; }, 2s);
  streams.sender().send(StreamLane::foreground, small, streams.now());
  ASSERT_TRUE(streams.run_until([&] { return !streams.received().empty(); }, 3s));
  EXPECT_EQ(streams.received().front(), small);
}

TEST(Stream, that_is_replaced_gives_way_to_the_newer_message)
{
  Streams streams({0.2, 20ms, {}, 20'000});
  const Bytes second = streams.message(5000);
  streams.sender().send(StreamLane::first, streams.message(200'000), streams.now());
  streams.run_until([] { return false; }, 1s);
  streams.sender().send(StreamLane::first, second, streams.now());
  ASSERT_TRUE(streams.run_until([&] { return !streams.received().empty(); }, 60s));
  EXPECT_EQ(streams.received(), std::vector<Bytes>{second});
}

TEST(Stream, brings_a_hundred_messages_in_order_each_once)
{
  Streams streams({0.3, 5ms, 20ms});
  for (std::size_t n = 0; n < 200; ++n) {
    streams.sender().send(StreamLane::foreground, streams.message(n * 37 + 1), streams.now());
    ASSERT_TRUE(
      streams.run_until([&] { return !streams.sender().busy(StreamLane::foreground); }, 60s));
    ASSERT_EQ(streams.received().size(), n + 1);
    ASSERT_EQ(streams.received().back().size(), n * 37 + 1);
  }
}

TEST(DeliveryRate, starts_anew_after_a_silence)
{
  DeliveryRate rate;
  Instant now{1000s};
  rate.handle_delivered(1000, now + 20ms);
  rate.handle_answer(rate.mark(false, false, false, now), {}, now + 20ms);
  for (int silences = 0; silences < 30; ++silences) {
    rate.handle_silence();
    EXPECT_EQ(rate.pause(1000), Duration{}) << silences;
    EXPECT_GE(rate.window(), 2 * 1232u);
  }
}

// A short message says little of what a link can deliver.
TEST(DeliveryRate, is_not_taken_from_messages_that_are_too_short_to_fill_the_link)
{
  DeliveryRate rate;
  Instant now{1000s};
  for (int message = 0; message < 100; ++message, now += 1s) {
    const auto mark = rate.mark(true, false, false, now);
    rate.handle_delivered(1232, now + 20ms);
    rate.handle_answer(mark, {}, now + 20ms);
    const auto last = rate.mark(false, true, false, now + 20ms);
    rate.handle_delivered(30, now + 40ms);
    rate.handle_answer(last, {}, now + 40ms);
  }
  EXPECT_LT(rate.pause(1232), 50ms);
}

TEST(StreamReceiver, reserves_no_more_than_is_expected)
{
  StreamReceiver receiver;
  receiver.expect(StreamLane::foreground, 100);
  const Bytes byte = {1};
  EXPECT_FALSE(receiver.handle_part({1, 0, 0, 101, byte}, Instant{1h}));
  EXPECT_FALSE(receiver.handle_part({0x81, 0, 0, 1, byte}, Instant{1h}));
  EXPECT_EQ(receiver.refused(), 2u);
  EXPECT_FALSE(receiver.take_ack(Instant{2h}));
  EXPECT_TRUE(receiver.handle_part({1, 0, 0, 1, byte}, Instant{1h}));
}

TEST(StreamReceiver, takes_no_part_with_another_total_and_acknowledges_outdated_messages_whole)
{
  StreamReceiver receiver;
  receiver.expect(StreamLane::foreground, 100);
  const Bytes byte = {1};
  receiver.handle_part({5, 0, 0, 10, byte}, Instant{1h});
  receiver.handle_part({5, 1, 1, 11, byte}, Instant{1h});
  EXPECT_EQ(receiver.refused(), 1u);
  while (receiver.take_ack(Instant{2h})) {
  }
  receiver.handle_part({4, 9, 0, 77, byte}, Instant{1h + 10s});
  const auto ack = receiver.take_ack(Instant{2h});
  ASSERT_TRUE(ack);
  EXPECT_EQ(ack->id, 4);
  EXPECT_EQ(ack->newest, 9);
  EXPECT_EQ(ack->through, 77u);
}

TEST(StreamReceiver, names_the_newest_part_and_how_long_it_has_waited)
{
  StreamReceiver receiver;
  receiver.expect(StreamLane::foreground, 100);
  const Bytes byte = {1};
  const Instant now{1h};
  receiver.handle_part({5, 65535, 0, 10, byte}, now);
  receiver.handle_part({5, 1, 1, 10, byte}, now + 2ms);  // the counter has 16 bits
  receiver.handle_part({5, 0, 0, 10, byte}, now + 3ms);  // overtaken, and here already
  const auto ack = receiver.take_ack(now + 5ms);
  ASSERT_TRUE(ack);
  EXPECT_EQ(ack->newest, 1);
  EXPECT_EQ(ack->waited_us, 3000);
}

TEST(StreamReceiver, names_the_ranges_that_grew_last)
{
  StreamReceiver receiver;
  receiver.expect(StreamLane::foreground, 100);
  const Bytes byte = {1};
  std::uint16_t number = 0;
  const auto come = [&](std::uint32_t offset) {
    receiver.handle_part({5, number++, offset, 100, byte}, Instant{1h});
  };
  for (std::uint32_t offset = 2; offset < 62; offset += 3) {
    come(offset);
  }
  come(3);
  come(0);
  const auto ack = receiver.take_ack(Instant{1h});
  ASSERT_TRUE(ack);
  EXPECT_EQ(ack->through, 1u);
  EXPECT_EQ(ack->range_count, StreamAck::max_ranges);
  EXPECT_EQ(ack->ranges[0].offset, 2u);
  EXPECT_EQ(ack->ranges[0].length, 2u);
  EXPECT_EQ(ack->ranges[1].offset, 59u);
}

TEST(StreamReceiver, knows_an_older_message_for_longer_than_a_part_may_be_late)
{
  constexpr Duration longest_lateness = 15s;  // as the parameter max_age_s is bounded
  StreamReceiver receiver;
  receiver.expect(StreamLane::foreground, 100);
  const Bytes byte = {1};
  EXPECT_TRUE(receiver.handle_part({5, 0, 0, 1, byte}, Instant{1h}));
  EXPECT_FALSE(receiver.handle_part({4, 0, 0, 1, byte}, Instant{1h + longest_lateness * 9 / 8}));
}

// One part each; false if the message did not come out, or the sender still waits.
bool passes(StreamSender & sender, StreamReceiver & receiver, Instant now)
{
  sender.send(StreamLane::foreground, Bytes(100, 1), now);
  const auto part = sender.next(now);
  const bool arrived = part && receiver.handle_part(*part, now);
  while (const auto ack = receiver.take_ack(now)) {
    sender.handle_ack(*ack, now);
  }
  return arrived && !sender.busy(StreamLane::foreground);
}

TEST(StreamMessages, arrive_after_half_of_all_ids_were_given_up_while_nothing_passed)
{
  StreamSender sender(1200);
  StreamReceiver receiver;
  receiver.expect(StreamLane::foreground, 1000);
  Instant now{1s};
  EXPECT_TRUE(passes(sender, receiver, now));
  for (int i = 0; i < 64; ++i) {
    now += 30s;
    sender.send(StreamLane::foreground, Bytes(100, 2), now);
    EXPECT_TRUE(sender.next(now));
    sender.cancel(StreamLane::foreground);
  }
  now += 30s;
  EXPECT_TRUE(passes(sender, receiver, now));
}

}  // namespace
}  // namespace pqc_tunnel::test
