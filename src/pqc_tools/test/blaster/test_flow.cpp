// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "blaster/flow.hpp"

namespace pqc_tunnel::blaster
{
namespace
{

using namespace std::chrono_literals;

constexpr Duration travel = 200us;

class FlowTest : public ::testing::Test
{
protected:
  // Sends the next datagram; its number.
  std::uint64_t send()
  {
    const std::uint64_t number = flow_.next_number();
    flow_.handle_sent(now_);
    return number;
  }
  void arrive(std::uint64_t number) { flow_.handle_arrival(number, now_ - travel, now_); }
  void pass(Duration duration) { now_ += duration; }

  Instant now_{1h};
  Flow flow_{4, now_};
};

TEST_F(FlowTest, datagrams_that_arrive_are_not_lost)
{
  for (int i = 0; i < 10; ++i) {
    arrive(send());
  }
  const auto totals = flow_.totals();
  EXPECT_EQ(totals.sent, 10U);
  EXPECT_EQ(totals.received, 10U);
  EXPECT_EQ(totals.lost(), 0U);
  EXPECT_EQ(totals.duplicated + totals.reordered + totals.corrupted, 0U);
}

TEST_F(FlowTest, a_lost_datagram_counts_in_the_window_it_was_sent_in)
{
  arrive(send());
  ASSERT_TRUE(flow_.open_window(now_));
  send();
  ASSERT_TRUE(flow_.open_window(now_));
  arrive(send());
  EXPECT_EQ(flow_.window(0).lost(), 0U);
  EXPECT_EQ(flow_.window(1).lost(), 1U);
  EXPECT_EQ(flow_.window(2).lost(), 0U);
}

TEST_F(FlowTest, a_datagram_that_arrives_after_its_window_has_ended_still_counts_there)
{
  const auto late = send();
  ASSERT_TRUE(flow_.open_window(now_));
  pass(1s);
  arrive(late);
  EXPECT_EQ(flow_.window(0).received, 1U);
  EXPECT_EQ(flow_.window(0).lost(), 0U);
  EXPECT_EQ(flow_.window(1).received, 0U);
}

TEST_F(FlowTest, the_second_arrival_of_a_datagram_is_a_duplicate_and_does_not_hide_a_loss)
{
  const auto twice = send();
  send();
  arrive(twice);
  arrive(twice);
  const auto totals = flow_.totals();
  EXPECT_EQ(totals.duplicated, 1U);
  EXPECT_EQ(totals.received, 1U);
  EXPECT_EQ(totals.lost(), 1U);
}

TEST_F(FlowTest, a_datagram_overtaken_by_a_later_one_is_reordered)
{
  const auto first = send();
  const auto second = send();
  const auto third = send();
  arrive(second);
  arrive(first);
  arrive(third);
  EXPECT_EQ(flow_.totals().reordered, 1U);
  EXPECT_EQ(flow_.totals().lost(), 0U);
}

TEST_F(FlowTest, a_gap_belongs_to_the_window_in_which_it_ends)
{
  arrive(send());
  pass(2ms);
  arrive(send());
  pass(30ms);
  ASSERT_TRUE(flow_.open_window(now_));
  pass(10ms);
  arrive(send());
  EXPECT_EQ(flow_.window(0).longest_gap, 2ms);
  EXPECT_EQ(flow_.window(1).longest_gap, 40ms);
}

TEST_F(FlowTest, an_arrival_handled_late_belongs_to_the_window_of_its_time_stamp)
{
  arrive(send());
  const auto number = send();
  pass(7ms);
  const Instant arrived = now_;
  pass(1ms);
  ASSERT_TRUE(flow_.open_window(now_));
  flow_.handle_arrival(number, arrived - travel, arrived);
  EXPECT_EQ(flow_.window(0).longest_gap, 7ms);
  EXPECT_EQ(flow_.window(1).longest_gap, 0ms);
}

TEST_F(FlowTest, pauses_of_the_sender_are_counted_apart_from_gaps)
{
  arrive(send());
  pass(50ms);
  const auto number = send();
  pass(5ms);
  arrive(number);
  EXPECT_EQ(flow_.totals().longest_pause, 50ms);
  EXPECT_EQ(flow_.totals().longest_gap, 55ms);
}

TEST_F(FlowTest, corrupted_datagrams_count_where_they_arrive)
{
  ASSERT_TRUE(flow_.open_window(now_));
  send();
  flow_.handle_corrupted(now_);
  EXPECT_EQ(flow_.window(0).corrupted, 0U);
  EXPECT_EQ(flow_.window(1).corrupted, 1U);
  EXPECT_EQ(flow_.window(1).lost(), 1U);
}

TEST_F(FlowTest, a_number_never_sent_is_unaccountable)
{
  send();
  arrive(1);
  EXPECT_EQ(flow_.unaccountable(), 1U);
  EXPECT_EQ(flow_.totals().received, 0U);
}

TEST_F(FlowTest, a_number_too_old_to_be_remembered_is_unaccountable_rather_than_a_duplicate)
{
  const auto old = send();
  for (int i = 0; i <= 1 << 20; ++i) {
    send();
  }
  arrive(old);
  EXPECT_EQ(flow_.unaccountable(), 1U);
  EXPECT_EQ(flow_.totals().duplicated, 0U);
}

TEST_F(FlowTest, duplicates_are_detected_after_the_memory_has_wrapped)
{
  for (int i = 0; i < (1 << 20) + 10; ++i) {
    arrive(send());
  }
  const auto twice = send();
  arrive(twice);
  arrive(twice);
  EXPECT_EQ(flow_.totals().duplicated, 1U);
  EXPECT_EQ(flow_.totals().lost(), 0U);
}

TEST_F(FlowTest, more_windows_than_there_is_room_for_are_refused)
{
  EXPECT_TRUE(flow_.open_window(now_));
  EXPECT_TRUE(flow_.open_window(now_));
  EXPECT_TRUE(flow_.open_window(now_));
  EXPECT_FALSE(flow_.open_window(now_));
  arrive(send());
  EXPECT_EQ(flow_.windows(), 4U);
  EXPECT_EQ(flow_.window(3).received, 1U);
}

TEST_F(FlowTest, latency_is_from_sending_to_arrival)
{
  arrive(send());
  EXPECT_EQ(flow_.latencies().largest(), travel);
  EXPECT_EQ(flow_.totals().longest_latency, travel);
}

TEST(DurationHistogram, percentiles_are_within_a_few_percent)
{
  DurationHistogram histogram;
  for (int i = 1; i <= 1000; ++i) {
    histogram.add(std::chrono::microseconds(i));
  }
  EXPECT_EQ(histogram.count(), 1000U);
  EXPECT_EQ(histogram.largest(), 1ms);
  for (const int percent : {1, 10, 50, 90, 99, 100}) {
    const auto exact = static_cast<double>(Duration(10us * percent).count());
    const auto reported = static_cast<double>(histogram.percentile(percent / 100.0).count());
    EXPECT_NEAR(reported, exact, 0.035 * exact) << percent << " %";
  }
}

TEST(DurationHistogram, percentiles_of_nothing_are_zero)
{
  EXPECT_EQ(DurationHistogram().percentile(0.5), 0ns);
}

TEST(DurationHistogram, small_huge_and_negative_durations_are_counted)
{
  DurationHistogram histogram;
  histogram.add(-5ns);
  histogram.add(31ns);
  histogram.add(32ns);
  histogram.add(24h);
  EXPECT_EQ(histogram.percentile(0.25), 0ns);
  EXPECT_EQ(histogram.percentile(0.5), 31ns);
  EXPECT_EQ(histogram.percentile(0.75), 32ns);
  EXPECT_EQ(histogram.largest(), 24h);
}

}  // namespace
}  // namespace pqc_tunnel::blaster
