// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "link/estimate/saturation.hpp"

// What each delay and each report changes in what is known of a link.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

const Instant start{1h};
constexpr double floor_rate = 1000;
constexpr Duration empty = 40ms;
constexpr Duration full = 900ms;
constexpr Saturation::Delivery half_lost{8000, 4000};
constexpr Saturation::Delivery whole{8000, 8000};

struct Steps
{
  void delays(Duration delay, Duration time, int count = 5)
  {
    for (int n = 0; n < count; ++n) {
      saturation.handle_delay(delay, start + time);
    }
  }
  void report(const Saturation::Delivery & delivery, Duration time)
  {
    saturation.handle_delivery(delivery, start + time);
  }
  // Tests the link four seconds after the start if it may.
  void fill(const Saturation::Delivery & delivery = half_lost, Duration delay = full)
  {
    delays(empty, 0s);
    report(delivery, 0s);
    delays(delay, 0s);
    report(delivery, 0s);
    report(delivery, begun);
  }
  // The queue goes, so that the link is limited to nine tenths of 4 kB/s.
  void limit()
  {
    fill();
    delays(empty, begun);
    EXPECT_EQ(rate(), 3600);
  }
  double rate() const { return saturation.rate().value_or(0); }

  static constexpr Duration begun = 4s;
  Saturation saturation{floor_rate};
};

// --- The shortest delay ---

TEST(SaturationSteps, the_shortest_delay_is_forgotten_while_no_queue_is_long)
{
  Steps steps;
  steps.delays(empty, 0s);
  steps.report(half_lost, 0s);
  for (Duration time = 1s; time < 70s; time += 1s) {
    steps.delays(empty + 80ms, time, 1);
  }
  steps.delays(empty + 160ms, 70s);
  EXPECT_FALSE(steps.saturation.wants_delays()) << "80 ms wait";
}

TEST(SaturationSteps, the_shortest_delay_is_not_forgotten_in_a_long_queue)
{
  Steps steps;
  steps.delays(empty, 0s);
  steps.report(whole, 0s);
  for (Duration time = 1s; time < 70s; time += 1s) {
    steps.delays(full, time, 1);
  }
  steps.report(half_lost, 70s);
  EXPECT_TRUE(steps.saturation.wants_delays());
}

TEST(SaturationSteps, the_shortest_delay_is_not_forgotten_in_a_test)
{
  Steps steps;
  steps.delays(empty, 0s);
  steps.delays(empty + 15s, 29s);
  steps.report(half_lost, 29s);
  steps.report(half_lost, 33s);
  ASSERT_EQ(steps.rate(), 2000);
  steps.delays(empty + 200ms, 35s);
  steps.delays(empty + 200ms, 66s, 1);
  EXPECT_EQ(steps.rate(), 2000) << "200 ms still wait, which is not short";
  EXPECT_FALSE(steps.saturation.limits());
}

// --- Loss by chance ---

// Whether what is lost without a queue is taken for chance, so that a little more loss shows no full link.
bool takes_for_chance(const Saturation::Delivery & delivery, Duration time)
{
  Steps steps;
  steps.delays(empty, 0s);
  steps.report(delivery, 0s);
  steps.delays(empty, time);
  steps.report({8000, 7400}, time);
  steps.saturation.set_exchanging(true, start + time);
  steps.delays(full, time, 1);
  return !steps.saturation.makes_way();
}

TEST(SaturationSteps, what_is_lost_for_six_seconds_without_a_queue_is_lost_by_chance)
{
  EXPECT_FALSE(takes_for_chance(half_lost, 5999ms));
  EXPECT_TRUE(takes_for_chance(half_lost, 6s));
  EXPECT_TRUE(takes_for_chance({floor_rate, floor_rate / 2}, 6s));
  EXPECT_FALSE(takes_for_chance({floor_rate - 1, floor_rate / 2}, 6s)) << "too little to tell";
}

TEST(SaturationSteps, nothing_is_lost_by_chance_before_the_queue_is_known)
{
  Steps steps;
  steps.report(half_lost, 0s);
  for (Duration time = 0s; time <= 8s; time += 2s) {
    steps.delays(empty, time, 1);
  }
  steps.report({8000, 7400}, 8s);
  steps.saturation.set_exchanging(true, start + 8s);
  steps.delays(full, 8s, 1);
  EXPECT_TRUE(steps.saturation.makes_way());
}

// --- A crowded link ---

TEST(SaturationSteps, a_link_is_crowded_for_half_a_minute_after_a_long_delay)
{
  Steps steps;
  steps.report(whole, 0s);
  steps.delays(empty, 0s, 1);
  EXPECT_FALSE(steps.saturation.is_crowded(start));
  steps.delays(Duration(100ms) + empty - Duration(1ns), 1s, 1);
  EXPECT_FALSE(steps.saturation.is_crowded(start + 1s));
  steps.delays(Duration(100ms) + empty, 2s, 1);
  EXPECT_TRUE(steps.saturation.is_crowded(start + 2s));
  steps.delays(empty, 3s, 1);
  EXPECT_TRUE(steps.saturation.is_crowded(start + 32s - 1ns));
  EXPECT_FALSE(steps.saturation.is_crowded(start + 32s));
}

TEST(SaturationSteps, a_single_delay_shows_no_crowd)
{
  Steps steps;
  steps.report(whole, 0s);
  steps.delays(full, 0s, 1);
  EXPECT_FALSE(steps.saturation.is_crowded(start)) << "the way may be that long";
}

// --- A test ---

// Whether a queue that has been long for a moment begins a test.
bool is_tested_at_once(const Saturation::Delivery & delivery, Duration queue = full)
{
  Steps steps;
  steps.report(delivery, 0s);
  steps.delays(empty, 0s);
  steps.delays(queue + empty, 0s, 1);
  steps.delays(empty, 0s);
  steps.report(delivery, 0s);
  return steps.rate() > 0;
}

TEST(SaturationSteps, a_queue_that_overflows_at_the_pace_of_streams_is_tested_at_once)
{
  EXPECT_TRUE(is_tested_at_once({8000, 6400, 6400}));
  EXPECT_FALSE(is_tested_at_once({8000, 6401, 6400})) << "bursts lose more";
  EXPECT_TRUE(is_tested_at_once({8000, 6400, 6400}, 100ms));
  EXPECT_FALSE(is_tested_at_once({8000, 6400, 6400}, 99ms)) << "no queue";
  EXPECT_FALSE(is_tested_at_once({8000, 6400, {}})) << "nothing is known of the link";
  EXPECT_TRUE(is_tested_at_once({8000, 7 * 512, 5 * 512}));
  EXPECT_FALSE(is_tested_at_once({8000, 7 * 512 + 1, 5 * 512})) << "it carries more than streams";
  EXPECT_TRUE(is_tested_at_once({8000, 7 * 640, 10 * 640}));
  EXPECT_FALSE(is_tested_at_once({8000, 7 * 640 - 1, 10 * 640})) << "it carries less";
}

TEST(SaturationSteps, what_is_lost_by_chance_overflows_no_queue)
{
  Steps steps;
  steps.delays(empty, 0s);
  steps.report({8000, 4000, 4000}, 0s);
  steps.delays(empty, 6s, 20);
  steps.delays(full, 6s, 1);
  steps.report({8000, 4000, 4000}, 6s);
  EXPECT_EQ(steps.rate(), 0);
}

TEST(SaturationSteps, a_test_sends_half_into_a_deep_queue_and_seven_tenths_into_a_shallow_one)
{
  for (const Duration delay : {full, Duration(300ms)}) {
    Steps steps;
    steps.fill(half_lost, delay);
    EXPECT_EQ(steps.rate(), delay == full ? 2000 : 2800);
  }
}

TEST(SaturationSteps, a_link_that_delivers_less_than_the_floor_is_not_tested)
{
  for (const double delivered : {floor_rate - 1, floor_rate}) {
    Steps steps;
    steps.fill({8000, delivered});
    EXPECT_EQ(steps.saturation.rate().has_value(), delivered == floor_rate);
  }
}

TEST(SaturationSteps, a_test_asks_for_no_more_delays_and_makes_no_way)
{
  Steps steps;
  steps.fill();
  EXPECT_FALSE(steps.saturation.wants_delays());
  steps.saturation.set_exchanging(true, start + Steps::begun);
  steps.delays(full, Steps::begun);
  EXPECT_FALSE(steps.saturation.makes_way()) << "it sends less already";
}

TEST(SaturationSteps, too_few_delays_show_no_queue)
{
  Steps steps;
  steps.delays(empty, 0s, 1);
  steps.report(half_lost, 0s);
  steps.delays(full, 0s, 1);
  EXPECT_FALSE(steps.saturation.wants_delays());
}

TEST(SaturationSteps, a_test_is_passed_by_delays_alone_but_not_by_those_of_another_clock)
{
  for (const Duration clock : {Duration(0h), Duration(1h)}) {
    Steps steps;
    steps.fill();
    steps.delays(empty + clock, Steps::begun + 1s, 4);
    EXPECT_FALSE(steps.saturation.limits());
    steps.delays(empty + clock, Steps::begun + 1s, 1);
    EXPECT_TRUE(steps.saturation.limits());
  }
}

TEST(SaturationSteps, a_test_finds_less_only_where_something_is_lost)
{
  for (const double delivered : {2000.0, 1900.0}) {
    Steps steps;
    steps.fill({16000, 4000});
    steps.report({2000, delivered}, Steps::begun + 1s);
    EXPECT_EQ(steps.rate(), delivered == 2000 ? 2000 : floor_rate);
  }
}

// Whether a test has failed at this time by a queue that stays, although a report came before.
bool has_failed(
  Duration delay, const Saturation::Delivery & report, Duration reported, Duration time,
  int samples = 9)
{
  Steps steps;
  steps.fill(half_lost, delay);
  steps.delays(delay, Steps::begun, 1);
  steps.report(report, Steps::begun + reported);
  EXPECT_GT(steps.rate(), 0);
  steps.delays(delay, Steps::begun + time, samples);
  return steps.rate() == 0;
}

TEST(SaturationSteps, a_test_fails_by_nine_delays_when_the_queue_should_have_gone)
{
  EXPECT_FALSE(has_failed(full, half_lost, 2s, 2700ms));
  EXPECT_FALSE(has_failed(full, half_lost, 2s, 3s, 8));
  EXPECT_TRUE(has_failed(full, half_lost, 2s, 3s));
}

TEST(SaturationSteps, a_test_begins_anew_when_less_is_found_in_its_first_six_seconds)
{
  const Saturation::Delivery less{2000, 1500};
  EXPECT_FALSE(has_failed(full, less, 2s, 3s));
  EXPECT_TRUE(has_failed(full, less, 2s, 5s));
  EXPECT_FALSE(has_failed(empty + 3s, less, 5900ms, 7100ms));
  EXPECT_TRUE(has_failed(empty + 3s, less, 6500ms, 7100ms));
}

TEST(SaturationSteps, a_test_without_delays_fails_after_twenty_seconds)
{
  Steps steps;
  steps.fill();
  steps.delays(full, Steps::begun, 1);
  steps.report(half_lost, Steps::begun + 22s);
  EXPECT_EQ(steps.rate(), 2000);
  steps.report(half_lost, Steps::begun + 23s);
  EXPECT_EQ(steps.rate(), 0);
}

TEST(SaturationSteps, after_a_test_that_failed_the_next_one_waits_for_a_minute)
{
  Steps steps;
  steps.fill();
  steps.delays(full, Steps::begun, 1);
  constexpr Duration failed = Steps::begun + 3s;
  steps.delays(full, failed, 9);
  ASSERT_EQ(steps.rate(), 0);
  steps.delays(2 * full, failed);
  for (const Duration time : {0s, 5s, 59s}) {
    steps.report(half_lost, failed + time);
    EXPECT_EQ(steps.rate(), 0);
  }
  steps.report(half_lost, failed + 60s);
  EXPECT_EQ(steps.rate(), 2000);
}

// --- A limit ---

TEST(SaturationSteps, a_limit_ends_in_half_a_minute_without_a_queue_in_which_little_is_sent)
{
  for (const Duration queue : {0ms, 120ms}) {
    Steps steps;
    steps.limit();
    steps.delays(empty + queue, 5s);
    steps.report({1000, 1000}, 5s);
    steps.report({1000, 1000}, 36s);
    EXPECT_EQ(steps.saturation.limits(), queue > 0ms);
  }
}

TEST(SaturationSteps, a_limit_is_raised_only_while_the_queue_is_short)
{
  for (const Duration queue : {0ms, 120ms}) {
    Steps steps;
    steps.limit();
    steps.delays(empty + queue, 9s);
    steps.report({3600, 3600}, 9s);
    EXPECT_DOUBLE_EQ(steps.rate(), queue > 0ms ? 3600 : 3780);
  }
}

TEST(SaturationSteps, a_limit_is_tested_when_a_queue_has_been_long_for_a_while_and_a_minute_later)
{
  const Saturation::Delivery delivery{3600, 3000};
  Steps steps;
  steps.limit();
  steps.delays(full, 5s);
  steps.report(delivery, 5s);
  steps.report(delivery, 6s);
  EXPECT_EQ(steps.rate(), 3600);
  steps.report(delivery, 6500ms);
  EXPECT_EQ(steps.rate(), 1500);
  steps.delays(full, 7s, 1);
  steps.delays(full, 10s, 9);
  EXPECT_EQ(steps.rate(), 3600) << "the test has failed";
  steps.delays(2 * full, 10s);
  for (const Duration time : {10s, 13s, 69s}) {
    steps.report(delivery, time);
    EXPECT_EQ(steps.rate(), 3600);
  }
  steps.report(delivery, 70s);
  EXPECT_EQ(steps.rate(), 1500);
}

}  // namespace
}  // namespace pqc_tunnel::test
