// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "link/estimate/arrival_rate.hpp"

#include <gtest/gtest.h>

// How the rate of a link is measured from the parts of streams that arrive.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

const Instant start{};

TEST(ArrivalRate, counts_what_follows_the_first_part_of_a_train)
{
  ArrivalRate rate;
  rate.handle_part(9000, {}, start);
  EXPECT_FALSE(rate.bytes_per_s());
  rate.handle_part(1499, {}, start + 50ms);
  EXPECT_FALSE(rate.bytes_per_s()) << "too little";
  rate.handle_part(1, {}, start + 100ms);
  EXPECT_DOUBLE_EQ(rate.bytes_per_s().value(), 15000);
  rate.handle_part(4500, {}, start + 300ms);
  EXPECT_DOUBLE_EQ(rate.bytes_per_s().value(), 20000);
}

TEST(ArrivalRate, leaves_out_the_pause_between_two_trains)
{
  for (const Duration pause : {Duration(250ms), Duration(251ms)}) {
    ArrivalRate rate;
    rate.handle_part(2000, {}, start);
    rate.handle_part(2000, {}, start + pause);
    EXPECT_EQ(rate.bytes_per_s().has_value(), pause == 250ms);
  }
}

// Parts of a train, and what is known of the link after them.
class Train
{
public:
  explicit Train(Duration round_trip = {}) : round_trip_(round_trip) {}

  void pass(Duration time) { now_ += time; }
  void come(int parts, Duration spacing, std::size_t bytes = 1000)
  {
    for (int i = 0; i < parts; ++i) {
      now_ += spacing;
      rate_.handle_part(bytes, round_trip_, now_);
    }
  }
  double rate() const { return rate_.bytes_per_s().value(); }
  bool is_known() const { return rate_.is_known(); }
  bool is_sure() const { return rate_.is_sure(now_); }

private:
  ArrivalRate rate_;
  Duration round_trip_;
  Instant now_ = start;
};

TEST(ArrivalRate, is_sure_once_the_sender_sends_no_faster)
{
  Train train;
  train.come(26, 10ms, 500);  // a section of 250 ms
  EXPECT_DOUBLE_EQ(train.rate(), 50'000);
  train.come(49, 5ms, 500);
  train.come(1, 5ms, 500);
  EXPECT_FALSE(train.is_sure()) << "it has sent twice as fast as before";
  train.come(49, 5ms, 500);
  EXPECT_FALSE(train.is_sure());
  train.come(1, 5ms, 500);
  EXPECT_TRUE(train.is_sure());
  EXPECT_DOUBLE_EQ(train.rate(), 100'000);
}

TEST(ArrivalRate, is_not_sure_of_a_sender_that_grows_by_a_quarter_in_a_long_round_trip)
{
  constexpr Duration round_trip = 600ms;
  Train train(round_trip);
  int parts = 8;
  for (int trip = 0; trip < 12; ++trip, parts += parts / 4) {
    train.come(parts, round_trip / parts);
    EXPECT_FALSE(train.is_sure()) << trip;
  }
  for (int trip = 0; trip < 9; ++trip) {
    train.come(parts, round_trip / parts);
  }
  EXPECT_TRUE(train.is_sure());
  EXPECT_NEAR(train.rate(), parts * 1000 / 0.6, 1000);
}

TEST(ArrivalRate, is_that_of_the_faster_section_where_the_sender_slows_down)
{
  Train train;
  train.come(26, 10ms, 500);
  train.come(20, 12500us, 500);
  EXPECT_TRUE(train.is_sure());
  EXPECT_DOUBLE_EQ(train.rate(), 50'000);
}

TEST(ArrivalRate, is_sure_after_many_bytes_of_a_fast_link)
{
  Train train;
  train.come(1, 0ms);
  train.come(63, 1ms);
  EXPECT_FALSE(train.is_sure());
  train.come(1, 1ms);
  EXPECT_TRUE(train.is_sure());
  EXPECT_DOUBLE_EQ(train.rate(), 1e6);
}

TEST(ArrivalRate, is_sure_on_a_thin_link_after_sections_of_enough_bytes)
{
  Train train;
  train.come(1, 0ms);
  train.come(3, 200ms, 500);
  EXPECT_FALSE(train.is_sure());
  train.come(2, 200ms, 500);
  EXPECT_FALSE(train.is_sure()) << "too few bytes of the second section";
  train.come(1, 200ms, 500);
  EXPECT_TRUE(train.is_sure());
  EXPECT_DOUBLE_EQ(train.rate(), 2500);
}

TEST(ArrivalRate, that_is_sure_falls_only_by_trains_that_fill_the_link)
{
  Train train;
  train.come(51, 10ms);
  ASSERT_TRUE(train.is_sure());
  train.pass(1s);
  train.come(26, 20ms);
  EXPECT_DOUBLE_EQ(train.rate(), 100'000) << "a short train";
  train.come(26, 20ms);
  EXPECT_DOUBLE_EQ(train.rate(), 50'000);
}

TEST(ArrivalRate, that_is_sure_rises_by_a_short_train_but_not_by_a_cluster)
{
  Train train;
  train.come(51, 10ms);
  train.pass(1s);
  train.come(10, 5ms);
  EXPECT_DOUBLE_EQ(train.rate(), 100'000);
  train.come(1, 5ms);
  EXPECT_DOUBLE_EQ(train.rate(), 200'000);
}

TEST(ArrivalRate, is_sure_for_two_minutes)
{
  Train train;
  train.come(51, 10ms);
  train.pass(2min - 1ns);
  EXPECT_TRUE(train.is_sure());
  train.pass(1ns);
  EXPECT_FALSE(train.is_sure());
  EXPECT_DOUBLE_EQ(train.rate(), 100'000);
}

TEST(ArrivalRate, that_is_not_sure_is_that_of_the_fastest_round_trip)
{
  Train train(200ms);
  train.come(1, 0ms);
  train.come(10, 20ms);
  EXPECT_DOUBLE_EQ(train.rate(), 50'000);
  train.come(19, 10ms);
  EXPECT_NEAR(train.rate(), 29'000 / 0.39, 1) << "not a whole one";
  train.come(1, 10ms);
  EXPECT_DOUBLE_EQ(train.rate(), 100'000);
  train.come(4, 50ms);
  EXPECT_DOUBLE_EQ(train.rate(), 100'000) << "a slow one";
  train.pass(1s);
  train.come(1, 0ms);
  train.come(10, 20ms);
  EXPECT_DOUBLE_EQ(train.rate(), 100'000) << "of a slow train";
  EXPECT_FALSE(train.is_sure());
}

TEST(ArrivalRate, takes_no_less_than_a_tenth_of_a_second_for_a_round_trip)
{
  Train train(10ms);
  train.come(1, 0ms);
  train.come(19, 5ms, 500);
  train.come(2, 1ms, 100);
  EXPECT_NEAR(train.rate(), 9700 / 0.097, 1);
  train.come(1, 3ms, 100);
  train.come(1, 100ms, 100);
  EXPECT_DOUBLE_EQ(train.rate(), 98'000);
}

TEST(ArrivalRate, of_parts_that_came_together_counts_until_some_last_longer)
{
  Train train;
  train.come(1, 0ms);
  train.come(3, 1ms);
  EXPECT_DOUBLE_EQ(train.rate(), 1e6);
  train.pass(1s);
  train.come(1, 0ms);
  train.come(6, 8ms);
  EXPECT_DOUBLE_EQ(train.rate(), 125'000) << "48 ms";
  train.pass(1s);
  train.come(1, 0ms);
  train.come(5, 10ms);
  EXPECT_DOUBLE_EQ(train.rate(), 100'000);
  train.pass(1s);
  train.come(1, 0ms);
  train.come(3, 1ms);
  EXPECT_DOUBLE_EQ(train.rate(), 100'000);
}

TEST(ArrivalRate, says_something_once_enough_has_come_or_the_link_was_full)
{
  Train fast;
  fast.come(39, 1ms);
  fast.come(1, 1ms, 999);
  EXPECT_FALSE(fast.is_known());
  fast.come(1, 1ms, 1);
  EXPECT_TRUE(fast.is_known());
  Train slow;
  slow.come(6, 100ms);
  EXPECT_FALSE(slow.is_known());
  slow.come(1, 100ms);
  EXPECT_TRUE(slow.is_sure() && slow.is_known());
}

TEST(ArrivalRate, says_something_after_ten_round_trips_of_trains)
{
  Train train(200ms);
  for (int trip = 0; trip < 9; ++trip) {
    train.pass(10s);
    train.come(1, 0ms, 400);
    train.come(1, 200ms, 400);
  }
  train.pass(10s);
  train.come(1, 0ms, 400);
  EXPECT_FALSE(train.is_known());
  train.come(1, 200ms, 400);
  EXPECT_TRUE(train.is_known() && !train.is_sure());
  Train near(10ms);
  near.come(1, 0ms, 1);
  near.come(9, 100ms, 1);
  EXPECT_FALSE(near.is_known()) << "no round trip is shorter than a tenth of a second";
  near.come(1, 100ms, 1);
  EXPECT_TRUE(near.is_known());
}

}  // namespace
}  // namespace pqc_tunnel::test
