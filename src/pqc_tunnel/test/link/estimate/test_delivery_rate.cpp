// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "link/estimate/delivery_rate.hpp"

#include <gtest/gtest.h>

// How fast a stream sends, by the times after which its parts are acknowledged.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr Duration usual = 100ms;        // of a round trip
constexpr std::size_t in_usual = 10000;  // bytes: 100 kB/s, which let a queue of 10 ms stand
constexpr std::size_t first_window = 4 * universal_payload;
constexpr std::size_t least_window = 2 * universal_payload;

struct Stream
{
  DeliveryRate rate;
  Instant now{1h};
  bool yields = false;

  // A part that left a round trip ago, since when so much was delivered, is acknowledged.
  void answer(Duration after, Duration rtt, std::size_t bytes, bool is_last = false)
  {
    now += after;
    const auto mark = rate.mark(true, is_last, yields, now - rtt);
    rate.handle_delivered(bytes, now);
    rate.handle_answer(mark, {}, now);
  }
  // Until it no longer looks for what the link delivers.
  void settle(std::size_t bytes = in_usual)
  {
    for (int n = 0; n < 6; ++n) {
      answer(usual, usual, bytes);
    }
  }
  static double seconds(Duration duration)
  {
    return std::chrono::duration<double>(duration).count();
  }
};

TEST(DeliveryRate, counts_from_the_last_delivery_unless_nothing_was_on_the_way)
{
  DeliveryRate rate;
  const Instant delivered{1h};
  const Instant sent = delivered + 30ms;
  EXPECT_EQ(rate.mark(false, false, false, sent).delivered_at, sent);
  rate.handle_delivered(1000, delivered);
  EXPECT_EQ(rate.mark(false, false, false, sent).delivered_at, delivered);
  EXPECT_EQ(rate.mark(true, false, false, sent).delivered_at, sent);
}

TEST(DeliveryRate, takes_what_the_other_end_waited_from_the_round_trip)
{
  const auto patience_after = [](Duration waited) {
    DeliveryRate rate;
    const Instant sent{1h};
    rate.handle_answer(rate.mark(true, false, false, sent), waited, sent + usual);
    return rate.patience(0);
  };
  EXPECT_EQ(patience_after(0ms), 270ms);
  EXPECT_EQ(patience_after(40ms), 170ms);
  EXPECT_EQ(patience_after(150ms), 270ms) << "more than the whole";
}

TEST(DeliveryRate, is_more_patient_the_longer_nothing_is_acknowledged)
{
  Stream stream;
  EXPECT_EQ(stream.rate.patience(0), 500ms);
  EXPECT_EQ(stream.rate.patience(1), 1s);
  EXPECT_EQ(stream.rate.patience(2), 2s);
  EXPECT_EQ(stream.rate.patience(3), 2s);
  stream.answer(10ms, 10ms, 1000);
  EXPECT_EQ(stream.rate.patience(0), 45ms);
  EXPECT_EQ(stream.rate.patience(1), 200ms);
  EXPECT_EQ(stream.rate.patience(2), 400ms);
}

TEST(DeliveryRate, begins_with_a_window_that_grows_by_what_is_delivered_or_a_quarter_of_it)
{
  for (const bool yields : {false, true}) {
    Stream stream;
    stream.yields = yields;
    EXPECT_EQ(stream.rate.window(), first_window);
    EXPECT_EQ(stream.rate.pause(1000), Duration{});
    stream.answer(usual, usual, in_usual);
    const std::size_t window = first_window + in_usual / (yields ? 4 : 1);
    EXPECT_EQ(stream.rate.window(), window);
    const double pause = yields ? 1000 / (1.35 * static_cast<double>(window) / 0.1) : 0;
    EXPECT_NEAR(Stream::seconds(stream.rate.pause(1000)), pause, 1e-8);
  }
}

TEST(DeliveryRate, learns_from_a_part_that_nothing_followed_only_that_the_link_is_faster)
{
  Stream stream;
  stream.answer(usual, usual, in_usual);
  stream.answer(usual, usual, in_usual / 100, true);
  EXPECT_EQ(stream.rate.window(), first_window + in_usual);
  stream.answer(usual, usual, 2 * in_usual, true);
  EXPECT_EQ(stream.rate.window(), first_window + 3 * in_usual);
}

// How many answers, each after a round trip, until the window is that of the measured rate; at most 30.
int answers_until_settled(bool yields, double growth)
{
  Stream stream;
  stream.yields = yields;
  double bytes = in_usual;
  int count = 0;
  for (std::size_t window = 0; count < 30 && stream.rate.window() > window; ++count) {
    window = stream.rate.window();
    stream.answer(usual, usual, static_cast<std::size_t>(bytes));
    bytes *= growth;
  }
  return count;
}

TEST(DeliveryRate, is_what_the_link_delivers_when_it_has_not_grown_for_three_or_eight_round_trips)
{
  EXPECT_EQ(answers_until_settled(false, 1), 5);
  EXPECT_EQ(answers_until_settled(true, 1), 10);
  EXPECT_EQ(answers_until_settled(false, 1.06), 30) << "by a tenth in two round trips";
}

TEST(DeliveryRate, is_found_at_once_when_more_queues_than_may)
{
  for (const bool yields : {false, true}) {
    Stream stream;
    stream.yields = yields;
    constexpr Duration rtt = 4 * usual;
    stream.answer(usual, rtt, 4 * in_usual);
    for (int n = 0; n < 3; ++n) {
      // 10 ms may queue, and 100 ms more as long as it does not yield.
      stream.answer(usual, rtt + 50ms, 4 * in_usual);
    }
    EXPECT_EQ(stream.rate.window(), yields ? 42000U : first_window + 16 * in_usual);
  }
}

// A yielding start whose round trips grow by 40 ms, after which the link delivers more by the factor, or no more.
TEST(DeliveryRate, goes_on_looking_if_the_link_delivers_more_behind_what_seemed_to_be_a_queue)
{
  for (const double growth : {1.0, 1.25}) {
    Stream stream;
    stream.yields = true;
    const auto starts = [&] { return stream.rate.brief_part() > 10'000; };
    stream.answer(usual, usual, in_usual);
    stream.answer(usual, usual, in_usual);
    ASSERT_TRUE(starts());
    stream.answer(usual / 2, usual + 40ms, in_usual / 2);
    stream.answer(usual / 2, usual + 40ms, in_usual / 2);
    EXPECT_FALSE(starts());
    stream.answer(usual, usual, static_cast<std::size_t>(in_usual * growth));
    stream.answer(usual, usual, static_cast<std::size_t>(in_usual * growth));
    EXPECT_EQ(starts(), growth > 1);
    stream.answer(usual / 2, usual + 40ms, in_usual / 2);
    stream.answer(usual / 2, usual + 40ms, in_usual / 2);
    EXPECT_EQ(starts(), growth > 1) << "not within two round trips";
  }
}

// A start that a queue has ended, by which no more was delivered.
struct Doubted : Stream
{
  Doubted()
  {
    yields = true;
    answer(usual, usual, in_usual);
    answer(usual, usual, in_usual);
    queue();
    EXPECT_FALSE(starts());
  }
  bool starts() const { return rate.brief_part() > 10'000; }
  void queue()
  {
    answer(usual / 2, usual + 40ms, in_usual / 2);
    answer(usual / 2, usual + 40ms, in_usual / 2);
  }
  // Surely a whole one.
  void round(double growth)
  {
    answer(2 * usual, usual, static_cast<std::size_t>(in_usual * growth));
  }
  void resume()
  {
    round(1.25);
    ASSERT_TRUE(starts());
  }
};

TEST(DeliveryRate, looks_no_more_three_round_trips_after_a_queue_or_where_much_is_lost)
{
  Doubted late;
  for (int n = 0; n < 3; ++n) {
    late.round(1);
  }
  late.round(2);
  EXPECT_FALSE(late.starts());
  for (const int lost : {3, 4}) {
    Doubted stream;
    for (int n = 0; n < lost; ++n) {
      stream.rate.handle_lost();  // about 1.6 %
    }
    stream.round(1.25);
    EXPECT_EQ(stream.starts(), lost == 3);
  }
}

TEST(DeliveryRate, ends_a_resumed_start_by_a_queue_after_three_round_trips)
{
  for (const int rounds : {0, 1, 2, 3}) {
    Doubted stream;
    stream.resume();
    for (int n = 0; n < rounds; ++n) {
      stream.round(1.25);
    }
    stream.queue();
    EXPECT_EQ(stream.starts(), rounds < 3) << rounds;
  }
}

TEST(DeliveryRate, begins_anew_after_a_silence_as_it_did_first)
{
  Doubted stream;
  stream.resume();
  stream.rate.handle_silence();
  stream.round(1);
  stream.queue();
  EXPECT_FALSE(stream.starts());
}

TEST(DeliveryRate, follows_the_shortest_of_the_newest_round_trips)
{
  Stream stream;
  stream.settle();
  const auto gain_after = [&](Duration after, Duration queue) {
    stream.answer(after, usual + queue, in_usual);
    return 1000 / Stream::seconds(stream.rate.pause(1000)) / 1e5;
  };
  EXPECT_NEAR(gain_after(30ms, 5ms), 1.25, 1e-4) << "one alone is jitter";
  EXPECT_NEAR(gain_after(1ms, 10ms), 1.125, 1e-4) << "5 ms queue";
  EXPECT_NEAR(gain_after(1ms, 10ms), 1.125, 1e-4);
  EXPECT_NEAR(gain_after(1ms, 10ms), 1.125, 1e-4) << "a quarter of a round trip is not over";
  EXPECT_NEAR(gain_after(30ms, 10ms), 1.0, 1e-4);
  EXPECT_NEAR(gain_after(1ms, 3ms), 1.175, 1e-4);
}

TEST(DeliveryRate, takes_a_shorter_round_trip_for_one_without_a_queue_at_once)
{
  Stream stream;
  stream.answer(usual, 2 * usual, in_usual);
  stream.settle();
  stream.settle();
  EXPECT_EQ(stream.rate.pause(1000), 8ms);
  EXPECT_EQ(stream.rate.window(), 12000U);
}

TEST(DeliveryRate, measures_the_round_trip_anew_after_ten_seconds_with_little_on_the_way)
{
  Stream stream;
  stream.settle();
  const Instant shortest = stream.now;
  const auto drains = [&] {
    stream.answer(usual, usual + 10ms, in_usual * 11 / 10);
    return stream.rate.window() == least_window;
  };
  while (stream.now < shortest + 10s) {
    ASSERT_FALSE(drains());
  }
  EXPECT_EQ(stream.rate.pause(1000), 10ms) << "as much queues as may";
  EXPECT_TRUE(drains());
  EXPECT_TRUE(drains());
  EXPECT_TRUE(drains());
  EXPECT_FALSE(drains()) << "two round trips are over";
  EXPECT_EQ(stream.rate.pause(1000), 8ms);
}

TEST(DeliveryRate, leaves_room_for_growth_only_while_next_to_nothing_queues)
{
  Stream stream;
  stream.settle(10 * in_usual);  // 1 MB/s, which let a queue of 4 ms stand
  EXPECT_EQ(stream.rate.window(), 112500U);
  stream.answer(usual, usual + 3ms, 10 * in_usual);
  stream.answer(usual, usual + 3ms, 10 * in_usual);
  EXPECT_EQ(stream.rate.window(), 108000U);
}

TEST(DeliveryRate, makes_no_pause_on_a_link_that_has_delivered_nothing_for_eight_round_trips)
{
  Stream stream;
  stream.settle();
  for (int n = 0; n < 9; ++n) {
    stream.answer(usual, usual, 0);
  }
  EXPECT_EQ(stream.rate.pause(1000), Duration{});
  EXPECT_EQ(stream.rate.window(), 2 * 256U);
}

TEST(DeliveryRate, makes_parts_brief_once_it_knows_that_the_link_is_slow)
{
  Stream stream;
  EXPECT_GT(stream.rate.brief_part(), 10'000U) << "nothing is known";
  stream.settle();  // 100 kB/s
  EXPECT_EQ(stream.rate.brief_part(), 3000U);
  for (int n = 0; n < 9; ++n) {
    stream.answer(usual, usual, in_usual / 10);
  }
  EXPECT_EQ(stream.rate.brief_part(), 300U);
  EXPECT_EQ(stream.rate.window(), 1600U) << "a round trip, and twice the time of a part";
}

}  // namespace
}  // namespace pqc_tunnel::test
