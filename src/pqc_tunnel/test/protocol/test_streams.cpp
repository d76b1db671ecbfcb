// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <map>

#include "protocol/delivery_rate.hpp"
#include "protocol/stream_receiver.hpp"
#include "protocol/stream_sender.hpp"
#include "support/identities.hpp"

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
}

TEST(StreamPart, is_read_back_as_it_was_written_and_refused_if_impossible)
{
  const Bytes bytes = {7, 8, 9};
  const Bytes payload = encode(StreamPart{0x85, 0x010203, 0x0a0b0c, bytes});
  EXPECT_EQ(payload, Bytes({0x85, 1, 2, 3, 10, 11, 12, 7, 8, 9}));
  const auto part = parse_stream_part(payload);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->offset, 0x010203u);
  EXPECT_EQ(part->total, 0x0a0b0cu);
  EXPECT_EQ(part->bytes.size(), 3u);
  EXPECT_FALSE(parse_stream_part(Bytes(7)));
  EXPECT_FALSE(parse_stream_part(encode(StreamPart{0, 8, 10, bytes})));
}

struct Link
{
  double loss = 0;
  Duration delay = 10ms;
  Duration jitter{};
  double bytes_per_s = 0;         // 0: without limit
  std::size_t largest = 1 << 16;  // longer ones are lost
  double copies = 0;              // share that arrives twice
};

// A sender and a receiver at the ends of a link.
class Streams
{
public:
  explicit Streams(Link link, std::uint64_t seed = 1) : link_(link), random_(seed)
  {
    for (const StreamClass kind : stream_classes) {
      receiver_.expect(kind, std::size_t{2} << 20);
    }
  }

  StreamSender & sender() { return sender_; }
  StreamReceiver & receiver() { return receiver_; }
  std::vector<Bytes> & received() { return received_; }
  std::size_t sent_bytes() const { return sent_bytes_; }
  Instant now() const { return now_; }

  Bytes message(std::size_t size)
  {
    Bytes bytes(size);
    random_.fill(bytes);
    return bytes;
  }

  bool run_until(const std::function<bool()> & condition, Duration limit)
  {
    const Instant end = now_ + limit;
    pump();
    while (!condition()) {
      Instant next = std::min(sender_.next_timeout(), receiver_.next_timeout());
      if (!flying_.empty()) {
        next = std::min(next, flying_.begin()->first);
      }
      if (next > end) {
        now_ = end;
        return condition();
      }
      now_ = std::max(now_, next);
      while (!flying_.empty() && flying_.begin()->first <= now_) {
        auto arriving = flying_.extract(flying_.begin());
        arriving.mapped()();
      }
      pump();
    }
    return true;
  }

private:
  void pump()
  {
    while (const auto ack = receiver_.take_ack(now_)) {
      fly(40, back_free_, [this, ack = *ack] { sender_.handle_ack(ack, now_); });
    }
    while (const auto part = sender_.next(now_)) {
      const Bytes payload = encode(*part);
      sent_bytes_ += payload.size();
      if (payload.size() > link_.largest) {
        continue;
      }
      fly(payload.size() + 51, forth_free_, [this, payload] {
        if (auto done = receiver_.handle_part(*parse_stream_part(payload), now_)) {
          received_.push_back(std::move(*done));
        }
      });
    }
  }
  void fly(std::size_t bytes, Instant & free, std::function<void()> arrive)
  {
    const Duration airtime =
      link_.bytes_per_s > 0
        ? Duration(static_cast<std::int64_t>(static_cast<double>(bytes) / link_.bytes_per_s * 1e9))
        : Duration{};
    free = std::max(free, now_) + airtime;
    if (random_.uniform() < link_.loss) {
      return;
    }
    for (int copies = random_.uniform() < link_.copies ? 2 : 1; copies > 0; --copies) {
      const auto extra =
        static_cast<std::int64_t>(random_.uniform() * static_cast<double>(link_.jitter.count()));
      flying_.emplace(free + link_.delay + Duration(extra), arrive);
    }
  }

  Link link_;
  SeededRandom random_;
  Instant now_{1h};
  StreamSender sender_{1200};
  StreamReceiver receiver_;
  std::multimap<Instant, std::function<void()>> flying_;
  std::vector<Bytes> received_;
  Instant forth_free_;
  Instant back_free_;
  std::size_t sent_bytes_ = 0;
};

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
      streams.sender().send(StreamClass::foreground, message, streams.now());
      ASSERT_TRUE(streams.run_until(
        [&] {
          return !streams.received().empty() && !streams.sender().busy(StreamClass::foreground);
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
  streams.sender().send(StreamClass::background, message, streams.now());
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
    streams.sender().send(StreamClass::background, streams.message(1'360'000), streams.now());
    const Instant begun = streams.now();
    ASSERT_TRUE(streams.run_until([&] { return !streams.received().empty(); }, 60s));
    EXPECT_LT((streams.now() - begun) / (2 * delay), 25);
  }
}

TEST(Stream, sends_little_more_than_the_message_over_a_good_link)
{
  Streams streams({0, 20ms, {}, 250'000});
  streams.sender().send(StreamClass::background, streams.message(500'000), streams.now());
  ASSERT_TRUE(streams.run_until([&] { return !streams.received().empty(); }, 60s));
  EXPECT_LT(streams.sent_bytes(), 530'000u);
}

TEST(Stream, goes_in_small_parts_to_its_end_where_large_ones_are_lost)
{
  Streams streams({0, 100ms, {}, 250'000, 1000});
  for (std::size_t messages = 1; messages <= 2; ++messages) {
    streams.sender().send(StreamClass::foreground, streams.message(20'000), streams.now());
    ASSERT_TRUE(streams.run_until([&] { return streams.received().size() == messages; }, 3s));
  }
  EXPECT_LT(streams.sent_bytes(), 50'000u);
}

TEST(Stream, of_the_foreground_overtakes_one_of_the_background)
{
  Streams streams({0, 20ms, {}, 20'000});
  const Bytes small = streams.message(3000);
  streams.sender().send(StreamClass::background, streams.message(200'000), streams.now());
  streams.run_until([] { return false; }, 2s);
  streams.sender().send(StreamClass::foreground, small, streams.now());
  ASSERT_TRUE(streams.run_until([&] { return !streams.received().empty(); }, 3s));
  EXPECT_EQ(streams.received().front(), small);
}

TEST(Stream, that_is_replaced_gives_way_to_the_newer_message)
{
  Streams streams({0.2, 20ms, {}, 20'000});
  const Bytes second = streams.message(5000);
  streams.sender().send(StreamClass::background, streams.message(200'000), streams.now());
  streams.run_until([] { return false; }, 1s);
  streams.sender().send(StreamClass::background, second, streams.now());
  ASSERT_TRUE(streams.run_until([&] { return !streams.received().empty(); }, 60s));
  EXPECT_EQ(streams.received(), std::vector<Bytes>{second});
}

TEST(Stream, brings_a_hundred_messages_in_order_each_once)
{
  Streams streams({0.3, 5ms, 20ms});
  for (std::size_t n = 0; n < 200; ++n) {
    streams.sender().send(StreamClass::foreground, streams.message(n * 37 + 1), streams.now());
    ASSERT_TRUE(
      streams.run_until([&] { return !streams.sender().busy(StreamClass::foreground); }, 60s));
    ASSERT_EQ(streams.received().size(), n + 1);
    ASSERT_EQ(streams.received().back().size(), n * 37 + 1);
  }
}

TEST(DeliveryRate, starts_anew_after_a_silence)
{
  DeliveryRate rate;
  Instant now{1000s};
  rate.handle_delivered(1000, rate.mark(false, false, false, now), now, now + 20ms);
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
    rate.handle_delivered(1232, mark, now, now + 20ms);
    rate.handle_delivered(30, rate.mark(false, true, false, now + 20ms), now + 20ms, now + 40ms);
  }
  EXPECT_LT(rate.pause(1232), 50ms);
}

TEST(StreamReceiver, reserves_no_more_than_is_expected)
{
  StreamReceiver receiver;
  receiver.expect(StreamClass::foreground, 100);
  const Bytes byte = {1};
  EXPECT_FALSE(receiver.handle_part({1, 0, 101, byte}, Instant{1h}));
  EXPECT_FALSE(receiver.handle_part({0x81, 0, 1, byte}, Instant{1h}));
  EXPECT_EQ(receiver.refused(), 2u);
  EXPECT_FALSE(receiver.take_ack(Instant{2h}));
  EXPECT_TRUE(receiver.handle_part({1, 0, 1, byte}, Instant{1h}));
}

TEST(StreamReceiver, takes_no_part_with_another_total_and_acknowledges_outdated_messages_whole)
{
  StreamReceiver receiver;
  receiver.expect(StreamClass::foreground, 100);
  const Bytes byte = {1};
  receiver.handle_part({5, 0, 10, byte}, Instant{1h});
  receiver.handle_part({5, 1, 11, byte}, Instant{1h});
  EXPECT_EQ(receiver.refused(), 1u);
  while (receiver.take_ack(Instant{2h})) {
  }
  receiver.handle_part({4, 0, 77, byte}, Instant{1h + 10s});
  const auto ack = receiver.take_ack(Instant{2h});
  ASSERT_TRUE(ack);
  EXPECT_EQ(ack->id, 4);
  EXPECT_EQ(ack->through, 77u);
}

TEST(StreamReceiver, knows_an_older_message_for_longer_than_a_part_may_be_late)
{
  constexpr Duration longest_lateness = 15s;  // as the parameter max_lateness_s is bounded
  StreamReceiver receiver;
  receiver.expect(StreamClass::foreground, 100);
  const Bytes byte = {1};
  EXPECT_TRUE(receiver.handle_part({5, 0, 1, byte}, Instant{1h}));
  EXPECT_FALSE(receiver.handle_part({4, 0, 1, byte}, Instant{1h + longest_lateness * 9 / 8}));
}

// One part each; false if the message did not come out, or the sender still waits.
bool passes(StreamSender & sender, StreamReceiver & receiver, Instant now)
{
  sender.send(StreamClass::foreground, Bytes(100, 1), now);
  const auto part = sender.next(now);
  const bool arrived = part && receiver.handle_part(*part, now);
  while (const auto ack = receiver.take_ack(now)) {
    sender.handle_ack(*ack, now);
  }
  return arrived && !sender.busy(StreamClass::foreground);
}

TEST(StreamMessages, arrive_after_half_of_all_ids_were_given_up_while_nothing_passed)
{
  StreamSender sender(1200);
  StreamReceiver receiver;
  receiver.expect(StreamClass::foreground, 1000);
  Instant now{1s};
  EXPECT_TRUE(passes(sender, receiver, now));
  for (int i = 0; i < 64; ++i) {
    now += 30s;
    sender.send(StreamClass::foreground, Bytes(100, 2), now);
    EXPECT_TRUE(sender.next(now));
    sender.cancel(StreamClass::foreground);
  }
  now += 30s;
  EXPECT_TRUE(passes(sender, receiver, now));
}

}  // namespace
}  // namespace pqc_tunnel::test
