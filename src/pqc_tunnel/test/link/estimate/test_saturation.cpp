// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "link/estimate/saturation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>

#include "support/identities.hpp"

namespace pqc_tunnel::test
{
namespace
{

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration step = milliseconds(10);
constexpr Duration report_interval = milliseconds(500);

constexpr double floor_rate = 1000;

// A link with a queue before it, as a fluid: what is offered beyond the rate waits, and what does not fit is lost. The
// peer's view covers 5 s, as that of LinkEstimator.
struct FluidLink
{
  double rate = 1e9;    // bytes per second
  double buffer = 1e9;  // bytes
  double loss = 0;      // of what the link delivers, by chance
  Duration latency = milliseconds(40);
  std::function<Duration()> jitter = [] { return Duration{}; };

  double demand = 0;  // what the applications offer
  Saturation saturation{floor_rate};
  Instant now{seconds(1000)};
  double waiting = 0;
  std::deque<std::pair<double, double>> window;  // offered and delivered in each step
  double most_waiting = 0;

  double sent() const { return std::min(demand, saturation.rate().value_or(1e12)); }
  bool is_limited() const { return saturation.rate().has_value(); }

  void run_for(Duration time)
  {
    const Instant end = now + time;
    for (; now < end; now += step) {
      const double offered = sent() * in_seconds(step);
      const double out = std::min(waiting + offered, rate * in_seconds(step));
      waiting = std::min(waiting + offered - out, buffer);
      most_waiting = std::max(most_waiting, waiting);
      window.emplace_back(offered, out * (1 - loss));
      if (window.size() > 500) {
        window.pop_front();
      }
      if (now.time_since_epoch() % report_interval == Duration{}) {
        tell();
      }
    }
  }

  // The share of the time in which this end was limited below what is wanted.
  double held_down_for(Duration time, double below = 1)
  {
    int held = 0;
    const auto tenths = time / milliseconds(100);
    for (int i = 0; i < tenths; ++i) {
      run_for(milliseconds(100));
      held += sent() < below * demand ? 1 : 0;
    }
    return held / static_cast<double>(tenths);
  }

  void tell()
  {
    Saturation::Delivery delivery;
    for (const auto & [offered, delivered] : window) {
      delivery.offered += offered;
      delivery.delivered += delivered;
    }
    const double time = in_seconds(step) * static_cast<double>(window.size());
    delivery.offered /= time;
    delivery.delivered /= time;
    saturation.handle_delay(latency + from_seconds(waiting / rate) + jitter(), now);
    saturation.handle_delivery(delivery, now);
  }
};

FluidLink thin_radio(double rate = 4000)
{
  FluidLink link;
  link.rate = rate;
  link.buffer = rate;  // a second
  link.demand = rate / 4;
  link.run_for(seconds(20));
  return link;
}

// After half a minute of twice what it carries.
FluidLink limited_radio()
{
  FluidLink link = thin_radio();
  link.demand = 8000;
  link.run_for(seconds(30));
  return link;
}

// --- A link that is full ---

TEST(Saturation, of_a_thin_radio_is_found_within_fifteen_seconds_with_its_rate)
{
  for (const double rate : {2000.0, 4000.0, 20000.0, 1e6}) {
    FluidLink link = thin_radio(rate);
    EXPECT_FALSE(link.is_limited());
    link.demand = 2 * rate;
    link.run_for(seconds(15));
    ASSERT_TRUE(link.saturation.limits()) << rate;
    EXPECT_NEAR(*link.saturation.rate(), rate, 0.2 * rate);
    link.most_waiting = 0;
    link.run_for(seconds(120));
    EXPECT_NEAR(*link.saturation.rate(), rate, 0.5 * rate);
    EXPECT_LT(link.most_waiting / rate, 0.8);
  }
}

TEST(Saturation, leaves_nine_tenths_of_the_rate_in_use_and_the_queue_short)
{
  FluidLink link = thin_radio(12000);
  link.demand = 24000;
  link.run_for(seconds(30));
  double sent = 0;
  double waiting = 0;
  for (int i = 0; i < 600; ++i) {
    link.run_for(milliseconds(500));
    sent += std::min(link.sent(), link.rate) / 600;
    waiting += link.waiting / link.rate / 600;
  }
  EXPECT_GT(sent, 0.9 * link.rate);
  EXPECT_LT(waiting, 0.08) << "seconds, on average";
}

TEST(Saturation, is_found_in_a_buffer_that_never_overflows)
{
  FluidLink link = thin_radio(20000);
  link.buffer = 1e9;
  link.demand = 30000;
  link.run_for(seconds(30));
  ASSERT_TRUE(link.saturation.limits());
  EXPECT_LT(link.waiting / link.rate, 0.3);
}

TEST(Saturation, of_a_radio_that_also_loses_by_chance_is_found)
{
  FluidLink link = thin_radio();
  link.loss = 0.1;
  link.demand = 8000;
  link.run_for(seconds(30));
  ASSERT_TRUE(link.saturation.limits());
  EXPECT_GT(*link.saturation.rate(), 0.7 * link.rate);
}

TEST(Saturation, follows_a_rate_that_falls_within_half_a_minute_and_rises_within_two)
{
  FluidLink link = thin_radio(8000);
  link.demand = 20000;
  link.run_for(seconds(60));
  link.rate = link.buffer = 2000;
  link.run_for(seconds(30));
  ASSERT_TRUE(link.saturation.limits());
  EXPECT_LT(*link.saturation.rate(), 2500);
  link.rate = link.buffer = 16000;
  link.run_for(seconds(120));
  ASSERT_TRUE(link.saturation.limits());
  EXPECT_GT(*link.saturation.rate(), 12000);
  EXPECT_LT(*link.saturation.rate(), 20000);
}

TEST(Saturation, ends_when_little_is_offered_for_a_while)
{
  FluidLink link = limited_radio();
  ASSERT_TRUE(link.is_limited());
  link.demand = 1000;
  link.run_for(seconds(45));
  EXPECT_FALSE(link.is_limited());
}

TEST(Saturation, ends_when_a_link_that_has_become_faster_takes_all_that_is_wanted)
{
  FluidLink link = limited_radio();
  ASSERT_TRUE(link.is_limited());
  link.rate = 1e6;
  link.run_for(seconds(100));
  EXPECT_FALSE(link.is_limited());
}

TEST(Saturation, ends_after_ten_minutes_without_a_queue)
{
  FluidLink link = limited_radio();
  ASSERT_TRUE(link.is_limited());
  link.demand = 2700;
  link.run_for(seconds(500));
  EXPECT_TRUE(link.is_limited());
  link.run_for(seconds(130));
  EXPECT_FALSE(link.is_limited());
}

// --- Links that are not full ---

TEST(Saturation, is_not_seen_on_a_fast_link_whatever_it_carries)
{
  FluidLink link;
  for (const double demand : {1e3, 1e5, 1e7, 1e2}) {
    link.demand = demand;
    link.run_for(seconds(60));
    EXPECT_FALSE(link.is_limited());
  }
}

TEST(Saturation, of_a_computer_is_left_to_it)
{
  FluidLink link = thin_radio(2.1e6);
  link.demand = 4.2e6;
  EXPECT_EQ(link.held_down_for(seconds(60)), 0);
}

TEST(Saturation, is_not_loss_alone_nor_jitter_nor_both)
{
  SeededRandom random(3);
  FluidLink link;
  link.demand = 20000;
  for (const double loss : {0.02, 0.3, 0.7}) {
    for (const double jitter_s : {0.0, 0.05, 0.4}) {
      link.loss = loss;
      link.jitter = [&random, jitter_s] { return from_seconds(jitter_s * random.uniform()); };
      // Chance may look like a queue for some seconds; the test that follows rejects it.
      const double held = link.held_down_for(seconds(300));
      EXPECT_LE(held, jitter_s > 0.1 ? 0.1 : 0) << loss << " " << jitter_s;
    }
  }
}

TEST(Saturation, is_not_a_longer_way)
{
  FluidLink link;
  link.demand = 20000;
  link.run_for(seconds(30));
  link.latency = milliseconds(700);
  EXPECT_EQ(link.held_down_for(seconds(300)), 0);
}

TEST(Saturation, is_not_an_outage_after_which_the_queue_drains)
{
  // A handover or a jammer: nothing is delivered for 3 s, then all that waited.
  FluidLink link;
  link.rate = 40000;
  link.demand = 20000;
  link.run_for(seconds(30));
  for (int i = 0; i < 20; ++i) {
    link.rate = 1;
    link.run_for(seconds(3));
    link.rate = 40000;
    EXPECT_LE(link.held_down_for(seconds(27), 0.9), 0.3);
  }
  EXPECT_EQ(link.held_down_for(seconds(300)), 0);
}

TEST(Saturation, of_a_longer_way_that_loses_is_tested_and_rejected)
{
  FluidLink link;
  link.demand = 20000;
  link.run_for(seconds(30));
  link.latency = milliseconds(400);
  link.loss = 0.2;
  EXPECT_LT(link.held_down_for(seconds(1800)), 0.01) << "one test of some seconds";
}

TEST(Saturation, by_others_on_the_way_is_tested_seldom)
{
  FluidLink link;
  link.demand = 20000;
  link.loss = 0.1;
  link.run_for(seconds(30));
  double held = 0;
  for (int minute = 0; minute < 60; ++minute) {
    link.latency = minute % 2 == 0 ? milliseconds(500) : milliseconds(40);
    held += link.held_down_for(seconds(60)) / 60;
  }
  EXPECT_LT(held, 0.05);
}

// --- An attacker, who delays and drops what he likes ---

TEST(Saturation, a_queue_that_an_attacker_adds_to_a_limited_link_changes_nothing_for_long)
{
  FluidLink link = thin_radio(12000);
  link.demand = 24000;
  link.run_for(seconds(60));
  ASSERT_TRUE(link.saturation.limits());
  link.latency = milliseconds(900);
  link.loss = 0.3;
  link.run_for(seconds(60));
  EXPECT_GT(*link.saturation.rate(), 0.8 * link.rate);
  EXPECT_LT(link.held_down_for(seconds(600), 0.3), 0.05);
}

TEST(Saturation, an_attacker_who_plays_a_slow_radio_holds_the_rate_at_the_floor_until_he_stops)
{
  FluidLink link;
  link.demand = 20000;
  link.run_for(seconds(30));
  double least = link.demand;
  for (const double rate : {10000.0, 5000.0, 2500.0, 1250.0, 600.0, 10.0}) {
    link.rate = link.buffer = rate;
    for (int i = 0; i < 600; ++i) {
      link.run_for(milliseconds(100));
      least = std::min(least, link.sent());
    }
  }
  EXPECT_GE(least, floor_rate);
  link.rate = link.buffer = 1e9;
  link.waiting = 0;
  link.run_for(seconds(120));
  EXPECT_GE(link.sent(), link.demand);
}

TEST(
  Saturation,
  an_attacker_who_delays_whenever_more_than_he_likes_is_sent_gets_no_less_than_the_floor)
{
  FluidLink link;
  link.demand = 20000;
  link.run_for(seconds(30));
  link.loss = 0.5;
  double allowed = 0.9 * link.demand;
  for (int i = 0; i < 6000; ++i) {
    const bool too_much = link.sent() > allowed;
    link.latency = too_much ? milliseconds(800) : milliseconds(40);
    allowed = too_much ? allowed : 0.9 * link.sent();
    link.run_for(milliseconds(100));
    EXPECT_GE(link.sent(), floor_rate);
  }
  link.latency = milliseconds(40);
  link.loss = 0;
  link.run_for(seconds(120));
  EXPECT_GE(link.sent(), link.demand);
}

// --- What is not known ---

TEST(Saturation, is_not_judged_without_delays_or_without_reports)
{
  Saturation saturation(floor_rate);
  for (int i = 0; i < 100; ++i) {
    saturation.handle_delivery({8000, 4000}, Instant{milliseconds(500 * i)});
  }
  EXPECT_FALSE(saturation.rate());
  Saturation silent(floor_rate);
  for (int i = 0; i < 100; ++i) {
    silent.handle_delay(milliseconds(i < 20 ? 40 : 900), Instant{milliseconds(500 * i)});
  }
  EXPECT_FALSE(silent.rate());
}

TEST(Saturation, is_not_seen_in_the_clock_of_another_machine)
{
  FluidLink link;
  link.demand = 20000;
  link.loss = 0.2;
  link.run_for(seconds(30));
  for (const auto clock : {std::chrono::hours(400), std::chrono::hours(-30), std::chrono::hours(2)})
  {
    link.latency = clock;  // the peer was exchanged
    EXPECT_EQ(link.held_down_for(seconds(120)), 0);
  }
}

TEST(Saturation, is_not_seen_in_clocks_that_drift)
{
  FluidLink link;
  link.demand = 20000;
  link.loss = 0.2;
  for (int i = 0; i < 3600; ++i) {
    link.latency += std::chrono::microseconds(100);
    link.run_for(seconds(1));
    EXPECT_FALSE(link.is_limited());
  }
}

}  // namespace
}  // namespace pqc_tunnel::test
