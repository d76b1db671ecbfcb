// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "protocol/streams/stream_sender.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "support/pair/stream_parts.hpp"

// When a sender sends which part, with acknowledgements and without.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr std::size_t max_part = 1200;
constexpr std::size_t large = max_part - StreamPart::header_size;  // bytes of a part
constexpr std::size_t small = 512 - StreamPart::header_size;
constexpr std::size_t least_window = 2 * universal_payload;
constexpr StreamLane foreground = StreamLane::foreground;
constexpr StreamLane background = StreamLane::first;
const Instant start{1h};

std::size_t largest_of(const std::vector<StreamPart> & parts)
{
  std::size_t largest = 0;
  for (const StreamPart & part : parts) {
    largest = std::max(largest, part.bytes.size());
  }
  return largest;
}

// A message of four large parts and a small one has left. The first and the last part are acknowledged after ten
// milliseconds, and then nothing is.
struct Silent
{
  Silent()
  {
    sender.send(foreground, Bytes(4 * large + 100, 1), start);
    parts = take_all(sender, start);
    now = start + 10ms;
    sender.handle_ack(ack_of(parts.front(), large), now);
    sender.handle_ack(ack_of(parts.back()), now);
  }
  std::vector<StreamPart> after_next_silence()
  {
    now = sender.next_timeout();
    return take_all(sender, now);
  }
  StreamSender sender{max_part};
  std::vector<StreamPart> parts;
  Instant now;
};

// --- Silence ---

TEST(
  StreamSender, asks_with_two_parts_at_the_first_silence_and_sends_all_in_small_ones_at_the_second)
{
  Silent silent;
  ASSERT_EQ(silent.parts.size(), 5U);
  const auto probes = silent.after_next_silence();
  ASSERT_EQ(probes.size(), 2U);
  EXPECT_EQ(probes[0].offset, silent.parts[1].offset);
  EXPECT_EQ(probes[1].offset, silent.parts[2].offset);
  EXPECT_EQ(largest_of(probes), large) << "large ones have arrived";
  const auto all = silent.after_next_silence();
  EXPECT_EQ(bytes_of(all), 3 * large);
  EXPECT_EQ(largest_of(all), small);
  const auto some = silent.after_next_silence();
  EXPECT_GE(bytes_of(some), least_window) << "the link may have become slower";
  EXPECT_LE(bytes_of(some), least_window + small);
}

TEST(StreamSender, sends_little_and_in_small_parts_if_a_link_is_silent_from_the_beginning)
{
  StreamSender sender(max_part);
  sender.send(foreground, Bytes(20 * large, 1), start);
  EXPECT_EQ(take_all(sender, start).size(), 5U);
  const auto parts = take_all(sender, start + 500ms);
  EXPECT_EQ(largest_of(parts), small);
  EXPECT_GE(bytes_of(parts), least_window);
  EXPECT_LE(bytes_of(parts), least_window + small);
}

TEST(StreamSender, takes_small_parts_at_the_first_silence_if_no_large_one_ever_arrived)
{
  StreamSender sender(max_part);
  sender.send(foreground, Bytes(100, 1), start);
  sender.handle_ack(ack_of(take_all(sender, start).front(), 100), start + 10ms);
  sender.send(foreground, Bytes(3 * large, 1), start + 10ms);
  EXPECT_EQ(largest_of(take_all(sender, start + 10ms)), large);
  EXPECT_EQ(largest_of(take_all(sender, sender.next_timeout())), small);
}

TEST(StreamSender, keeps_to_small_parts_for_the_rest_of_a_message_alone)
{
  StreamSender sender(max_part);
  sender.send(foreground, Bytes(40 * large, 1), start);
  sender.handle_ack(ack_of(take_all(sender, start).front(), large), start + 10ms);
  Instant now = start + 10ms;
  std::vector<StreamPart> parts = take_all(sender, now);
  for (int silence = 0; silence < 2; ++silence) {
    now = sender.next_timeout();
    parts = take_all(sender, now);
  }
  ASSERT_EQ(largest_of(parts), small);
  sender.handle_ack(ack_of(parts.back(), 20 * large), now + 10ms);
  EXPECT_EQ(largest_of(take_all(sender, now + 10ms)), small);
  now = sender.next_timeout();
  take_all(sender, now);  // a silence that is the first again
  sender.handle_ack(ack_of(parts.back(), 30 * large), now + 10ms);
  EXPECT_EQ(largest_of(take_all(sender, now + 10ms)), small);
  sender.send(foreground, Bytes(4 * large, 1), now + 20ms);
  EXPECT_EQ(largest_of(take_all(sender, now + 20ms)), large);
}

TEST(StreamSender, waits_for_an_acknowledgement_from_when_a_part_has_left)
{
  StreamSender sender(max_part);
  sender.send(foreground, Bytes(100, 1), start);
  take_all(sender, start + 1s);
  EXPECT_EQ(sender.next_timeout(), start + 1s + 500ms);
}

// --- Pace ---

TEST(StreamSender, of_the_foreground_begins_with_twice_as_much_in_each_round_trip)
{
  StreamSender sender(max_part);
  sender.send(foreground, Bytes(40 * large, 1), start);
  const auto parts = take_all(sender, start);
  ASSERT_EQ(parts.size(), 5U);
  sender.handle_ack(ack_of(parts.back(), 5 * large), start + 100ms);
  EXPECT_EQ(take_all(sender, start + 100ms).size(), 10U);
}

// Of the background, with three of five parts acknowledged after a round trip of 100 ms: three others leave one after the
// other.
struct Paced
{
  Paced()
  {
    sender.send(background, Bytes(40 * large, 1), start);
    const auto first = take_all(sender, start);
    EXPECT_EQ(first.size(), 5U);
    now = start + 100ms;
    sender.handle_ack(ack_of(first.at(2), 3 * large), now);
  }
  StreamPart leave()
  {
    now = std::max(now, sender.next_timeout());
    const auto parts = take_all(sender, now);
    EXPECT_EQ(parts.size(), 1U);
    return parts.at(0);
  }
  StreamSender sender{max_part};
  Instant now;
};

TEST(StreamSender, waits_no_longer_because_it_has_sent_more)
{
  Paced paced;
  for (std::uint32_t part = 5; part < 8; ++part) {
    EXPECT_EQ(paced.leave().offset, part * large);
  }
  EXPECT_GT(paced.now, start + 110ms);
  EXPECT_EQ(paced.sender.next_timeout(), start + 370ms);
}

TEST(StreamSender, takes_nothing_for_lost_that_left_less_than_a_round_trip_ago)
{
  for (const Duration time : {180ms, 205ms}) {
    Paced paced;
    paced.leave();
    paced.leave();
    const StreamPart newest = paced.leave();
    ASSERT_GT(paced.now, start + 125ms);
    StreamAck ack = ack_of(newest);
    ack.through = 5 * large;
    paced.sender.handle_ack(ack, start + time);
    EXPECT_EQ(paced.leave().offset, (time == 180ms ? 8 : 5) * large);
  }
}

TEST(StreamSender, lets_a_short_message_that_it_repeats_go_at_once)
{
  Paced paced;
  paced.leave();
  ASSERT_GT(paced.sender.next_timeout(), paced.now);
  paced.sender.send(foreground, Bytes(100, 1), paced.now, 5ms);
  EXPECT_LE(paced.sender.next_timeout(), paced.now);
  EXPECT_EQ(paced.leave().bytes.size(), 100U);
}

TEST(StreamSender, names_the_time_at_which_it_repeats_a_message)
{
  StreamSender sender(max_part);
  sender.send(foreground, Bytes(100, 1), start, 5ms);
  take_all(sender, start);
  EXPECT_EQ(sender.next_timeout(), start + 5ms);
}

// --- Lanes and the pace of the background ---

TEST(StreamSender, sends_of_the_background_the_message_with_the_fewest_bytes_left_first)
{
  StreamSender sender(max_part);
  sender.send(StreamLane::first, Bytes(3 * large, 1), start);
  sender.send(StreamLane::second, Bytes(large, 2), start);
  sender.send(foreground, Bytes(100, 3), start);
  const auto parts = take_all(sender, start);
  ASSERT_EQ(parts.size(), 5U);
  EXPECT_EQ(lane_of(parts[0].id), foreground);
  EXPECT_EQ(lane_of(parts[1].id), StreamLane::second);
  EXPECT_EQ(lane_of(parts[2].id), StreamLane::first);
}

TEST(StreamSender, lets_the_others_of_the_background_wait_for_the_lane_that_goes_first)
{
  StreamSender sender(max_part);
  sender.set_pace({.first = StreamLane::third});
  sender.send(StreamLane::first, Bytes(100, 1), start);
  sender.send(StreamLane::third, Bytes(2 * large, 2), start);
  const auto parts = take_all(sender, start);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(lane_of(parts[0].id), StreamLane::third);
  EXPECT_EQ(lane_of(parts[1].id), StreamLane::third);
  sender.handle_ack(ack_of(parts[1], 2 * large), start + 10ms);
  EXPECT_EQ(take_all(sender, start + 10ms).size(), 1U);
}

TEST(StreamSender, keeps_the_background_to_its_pace_and_the_foreground_not)
{
  StreamSender sender(max_part);
  sender.set_pace({.bytes_per_s = 200, .overhead = 50, .longest = 150});
  sender.send(background, Bytes(10'000, 1), start);
  sender.send(StreamLane::second, Bytes(10'000, 1), start);
  std::size_t line = 0;
  Instant now = start;
  while (now < start + 60s) {
    for (const StreamPart & part : take_all(sender, now)) {
      EXPECT_LE(part.bytes.size(), 150 - StreamPart::header_size);
      line += part.bytes.size() + StreamPart::header_size + 50;
      sender.handle_ack(ack_of(part), now + 20ms);
    }
    now = std::max(now + 1ms, sender.next_timeout());
  }
  EXPECT_NEAR(static_cast<double>(line), 60 * 200, 400);
  sender.send(foreground, Bytes(3 * large, 1), now);
  const auto parts = take_all(sender, now);
  EXPECT_EQ(
    std::ranges::count(parts, foreground, [](const StreamPart & part) { return lane_of(part.id); }),
    3);
}

TEST(StreamSender, sends_paced_parts_again_that_are_lost)
{
  StreamSender sender(max_part);
  sender.set_pace({.bytes_per_s = 1000, .overhead = 50, .longest = 150});
  sender.send(background, Bytes(300, 1), start);
  std::uint32_t here = 0;
  Instant arrived;
  Instant now = start;
  for (int sent = 0; sender.busy(background) && sent < 20; now = sender.next_timeout()) {
    for (const StreamPart & part : take_all(sender, now)) {
      if (++sent > 3) {  // the first three, all of it, are lost
        here += static_cast<std::uint32_t>(part.bytes.size());
        arrived = now;
        sender.handle_ack(ack_of(part), now + 20ms);
      }
    }
  }
  EXPECT_FALSE(sender.busy(background));
  EXPECT_EQ(here, 300U);
  EXPECT_LT(arrived, start + 5s);
}

TEST(StreamSender, sends_no_more_of_the_background_than_its_window_where_data_queue_beyond)
{
  for (const bool beyond : {false, true}) {
    StreamSender sender(max_part);
    constexpr std::size_t part = 77;  // 64 of them are the window
    sender.set_pace(
      {.bytes_per_s = 1e6, .longest = part + StreamPart::header_size, .yields_beyond = beyond});
    sender.send(background, Bytes(100 * part, 1), start);
    std::size_t sent = 0;
    for (Instant now = start; now < start + 100ms; now += 1ms) {
      sent += bytes_of(take_all(sender, now));
    }
    EXPECT_EQ(sent, beyond ? 4 * universal_payload : 100 * part);
  }
}

// --- What the rate is measured from ---

// Messages of one part each.
struct Measured
{
  StreamPart leave(StreamLane kind, std::size_t size, Instant now)
  {
    sender.send(kind, Bytes(size, 1), now);
    const auto parts = take_all(sender, now);
    EXPECT_EQ(parts.size(), 1U);
    return parts.at(0);
  }
  void arrive(const StreamPart & sent, Instant now)
  {
    sender.handle_ack(ack_of(sent, sent.total), now);
  }
  StreamSender sender{max_part};
};

TEST(StreamSender, measures_no_time_in_which_nothing_was_on_the_way)
{
  Measured measured;
  measured.arrive(measured.leave(foreground, 1000, start), start + 100ms);
  const Instant later = start + 10s;
  measured.arrive(measured.leave(foreground, 1180, later), later + 100ms);
  // The second measurement counts, since it was faster.
  measured.sender.send(foreground, Bytes(40 * large, 1), later + 1s);
  const std::size_t window = bytes_of(take_all(measured.sender, later + 1s));
  EXPECT_GE(window, 4 * universal_payload + 2180);
  EXPECT_LT(window, 4 * universal_payload + 2180 + large);
}

TEST(StreamSender, makes_parts_brief_once_it_knows_that_the_link_is_slow)
{
  constexpr double bytes_per_s = 6000;
  StreamSender sender{max_part};
  sender.send(foreground, Bytes(100 * large, 1), start);
  std::deque<std::pair<Instant, StreamPart>> line;
  Instant free = start;
  std::size_t largest = 0;
  for (Instant now = start; now < start + 12s; now += 10ms) {
    for (; !line.empty() && line.front().first <= now; line.pop_front()) {
      sender.handle_ack(ack_of(line.front().second), now);
    }
    largest = now < start + 10s ? 0 : largest;
    for (const StreamPart & part : take_all(sender, now)) {
      largest = std::max(largest, part.bytes.size());
      const std::chrono::duration<double> airtime(
        static_cast<double>(part.bytes.size()) / bytes_per_s);
      free = std::max(free, now) + std::chrono::duration_cast<Duration>(airtime);
      line.emplace_back(free, part);
    }
  }
  EXPECT_GT(largest, 0U);
  EXPECT_LE(largest, 256U);
}

TEST(StreamSender, measures_what_was_sent_beside_something_else_from_the_last_delivery)
{
  Measured measured;
  measured.arrive(measured.leave(foreground, 1000, start), start + 100ms);
  const Instant later = start + 10s;
  const StreamPart one = measured.leave(foreground, 1180, later);
  const StreamPart other = measured.leave(background, 1180, later + 60ms);
  measured.arrive(one, later + 100ms);
  measured.arrive(other, later + 160ms);
  // The third measurement does not count, since it was slow: the window has not grown by it.
  EXPECT_EQ(measured.sender.next_timeout(), Instant::max());
  measured.sender.send(foreground, Bytes(40 * large, 1), later + 1s);
  EXPECT_EQ(take_all(measured.sender, later + 1s).size(), 6U);
}

// A part of the foreground, slower than one before. It says little of the rate unless something waits behind it.
TEST(StreamSender, takes_a_paced_background_for_nothing_that_waits)
{
  for (const bool paced : {false, true}) {
    Measured measured;
    measured.arrive(measured.leave(foreground, 1000, start), start + 100ms);
    measured.sender.set_pace({.bytes_per_s = paced ? 1.0 : 0.0, .longest = max_part});
    const Instant later = start + 10s;
    measured.sender.send(foreground, Bytes(900, 1), later);
    measured.sender.send(background, Bytes(10 * large, 1), later);
    const auto parts = take_all(measured.sender, later);
    ASSERT_EQ(lane_of(parts.at(0).id), foreground);
    measured.arrive(parts.at(0), later + 100ms);
    measured.sender.cancel(background);
    measured.sender.send(foreground, Bytes(40 * large, 1), later + 1s);
    const std::size_t window = bytes_of(take_all(measured.sender, later + 1s));
    const std::size_t least = 4 * universal_payload + 1000 + (paced ? 0 : 900);
    EXPECT_GE(window, least);
    EXPECT_LT(window, least + large);
  }
}

}  // namespace
}  // namespace pqc_tunnel::test
