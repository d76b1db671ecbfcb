// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "protocol/session/clock_sync.hpp"

namespace pqc_tunnel
{

namespace
{

using namespace std::chrono_literals;

constexpr Instant start{1h};

// Two clocks and the path between them; our own clock is the true one.
struct World
{
  Duration offset{};
  double drift_ppm = 0;
  Duration forward = 1ms;
  Duration back = 1ms;
  Duration forward_jitter{};  // mean of an exponential distribution
  Duration back_jitter{};
  Duration hold = 50us;  // the peer's time to answer
  std::mt19937_64 random{1};

  Duration true_offset(Instant at) const
  {
    const auto age = static_cast<double>((at - start).count());
    return offset + Duration(std::llround(age * drift_ppm * 1e-6));
  }

  std::int64_t peer_clock(Instant at) const
  {
    return (at.time_since_epoch() + true_offset(at)).count();
  }

  Duration with_jitter(Duration base, Duration jitter)
  {
    if (jitter == 0s) return base;
    std::exponential_distribution<double> extra(1 / static_cast<double>(jitter.count()));
    return base + Duration(static_cast<std::int64_t>(extra(random)));
  }

  // Makes one exchange beginning at `at`; returns when it ended.
  Instant exchange(ClockSync & clock, Instant at)
  {
    const auto arrived = at + with_jitter(forward, forward_jitter);
    const auto answered = arrived + hold;
    const auto ended = answered + with_jitter(back, back_jitter);
    clock.handle_sample(
      {at.time_since_epoch().count(), peer_clock(arrived), peer_clock(answered),
       ended.time_since_epoch().count()},
      ended);
    return ended;
  }

  void expect_within_bound(const ClockSync & clock, Instant at) const
  {
    const auto error = std::chrono::abs(clock.offset(at) - true_offset(at));
    ASSERT_LE(error, clock.error_bound(at))
      << "drift " << drift_ppm << " after " << (at - start) / 1ms << " ms";
  }
};

TEST(ClockSync, one_way_delays_are_right_within_the_bound_of_the_offset)
{
  ClockSync clock;
  EXPECT_EQ(clock.delay_to_peer(), 0s);
  World world;
  world.offset = 5h;
  world.forward = 20ms;
  world.back = 30ms;
  Instant now = start;
  for (int i = 0; i < 20; ++i) {
    now = world.exchange(clock, now) + 1s;
  }
  world.forward = 80ms;
  world.exchange(clock, now);
  EXPECT_LE(std::chrono::abs(clock.delay_to_peer() - 80ms), clock.error_bound());
  EXPECT_LE(std::chrono::abs(clock.delay_from_peer() - 30ms), clock.error_bound());
  EXPECT_EQ(clock.delay_to_peer() + clock.delay_from_peer(), 110ms);
}

}  // namespace

TEST(ClockSync, without_samples_the_offset_is_unknown)
{
  const ClockSync clock;
  EXPECT_FALSE(clock.valid());
  EXPECT_EQ(clock.offset(), 0s);
  EXPECT_EQ(clock.error_bound(start), Duration::max());
  EXPECT_EQ(clock.drift_ppm(), 0);
  EXPECT_EQ(clock.rtt(), 0s);
  EXPECT_EQ(clock.min_rtt(), 0s);
}

TEST(ClockSync, one_symmetric_exchange_gives_the_exact_offset_of_either_sign)
{
  for (const Duration offset : {Duration(0s), Duration(5s), Duration(-30min), Duration(480000h)}) {
    ClockSync clock;
    World world{.offset = offset};
    world.exchange(clock, start);
    EXPECT_EQ(clock.offset(), offset);
    EXPECT_EQ(clock.rtt(), 2ms);
    EXPECT_GE(clock.error_bound(), 1ms);
    EXPECT_LE(clock.error_bound(), 1001us);
  }
}

TEST(ClockSync, a_one_way_delay_causes_an_error_of_half_the_round_trip_within_the_bound)
{
  ClockSync clock;
  World world{.offset = 3s, .forward = 40ms, .back = 0ms, .hold = 0ms};
  const auto now = world.exchange(clock, start);
  EXPECT_EQ(clock.offset() - 3s, 20ms);
  world.expect_within_bound(clock, now);
  EXPECT_LE(clock.error_bound(), 20ms + 10us);
}

TEST(ClockSync, the_shortest_round_trip_of_the_last_sixteen_decides)
{
  ClockSync clock;
  World world{.offset = 1s};
  world.exchange(clock, start);
  world.forward = 30ms;
  for (int i = 1; i < 16; ++i) world.exchange(clock, start + i * 1s);
  EXPECT_EQ(clock.offset(), 1s);
  EXPECT_EQ(clock.min_rtt(), 2ms);
  EXPECT_GT(clock.rtt(), 20ms);
  EXPECT_LT(clock.rtt(), 30ms);
  world.exchange(clock, start + 16s);
  EXPECT_EQ(clock.offset(), 1s + 14500us);
  EXPECT_EQ(clock.min_rtt(), 31ms);
  world.forward = 9ms;
  world.exchange(clock, start + 17s);
  EXPECT_EQ(clock.min_rtt(), 10ms);
}

TEST(ClockSync, an_aged_short_round_trip_yields_to_a_fresh_slightly_longer_one)
{
  ClockSync clock;
  World world;
  world.exchange(clock, start);
  world.forward = 1100us;
  world.exchange(clock, start + 10s);
  EXPECT_EQ(clock.offset(), 50us);
  EXPECT_EQ(clock.min_rtt(), 2ms);
}

TEST(ClockSync, the_bound_grows_by_fifty_parts_in_a_million_until_drift_is_measured)
{
  ClockSync clock;
  World world;
  const auto now = world.exchange(clock, start);
  const auto growth = clock.error_bound(now + 1000s) - clock.error_bound(now);
  EXPECT_NEAR(static_cast<double>(growth.count()), 50e6, 10);
}

TEST(ClockSync, samples_that_cannot_be_do_not_disturb)
{
  ClockSync clock;
  World world{.offset = 2s};
  const auto now = world.exchange(clock, start);
  const auto bound = clock.error_bound();
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
  constexpr auto highest = std::numeric_limits<std::int64_t>::max();
  const TimeSample insane[] = {
    {1000, 5000, 6000, 999},  {1000, 5000, 4999, 9000},         {1000, 5000, 9001, 5000},
    {lowest, 0, 0, highest},  {0, lowest, highest, highest},    {highest, 0, 0, highest},
    {0, highest, highest, 1}, {lowest, lowest, lowest, lowest},
  };
  ClockSync never;
  for (const auto & sample : insane) {
    clock.handle_sample(sample, now + 1s);
    never.handle_sample(sample, now + 1s);
  }
  EXPECT_FALSE(never.valid());
  EXPECT_EQ(clock.offset(), 2s);
  EXPECT_EQ(clock.error_bound(), bound);
  EXPECT_EQ(clock.rtt(), 2ms);
  EXPECT_EQ(clock.refused(), 8U);
  EXPECT_EQ(clock.accepted(), 1U);
}

TEST(ClockSync, times_beyond_73_years_are_refused_and_those_within_are_not)
{
  constexpr std::int64_t beyond = std::int64_t{1} << 61;
  for (const std::int64_t sign : {1, -1}) {
    ClockSync clock;
    clock.handle_sample({0, sign * beyond, sign * beyond, 1}, start);
    EXPECT_FALSE(clock.valid());
    const std::int64_t within = sign * (beyond - 1);
    clock.handle_sample({0, within, within, 1}, start);  // answered at once
    EXPECT_TRUE(clock.valid());
    EXPECT_EQ(clock.accepted(), 1u);
  }
}

// The peer repeats the time of the question, and so can choose the middle of each exchange.
TEST(ClockSync, no_drift_is_made_of_exchanges_that_all_claim_the_same_time)
{
  ClockSync clock;
  for (int i = 1; i <= 100; ++i) {
    const std::int64_t late = std::int64_t{i} * 1'000'000;
    clock.handle_sample({-late, -late, late, late}, Instant(Duration(late)));
  }
  EXPECT_EQ(clock.accepted(), 100u);
  EXPECT_EQ(clock.drift_ppm(), 0);
  EXPECT_EQ(clock.offset(start), 0ns);
}

TEST(ClockSync, a_round_trip_without_any_time_is_possible)
{
  ClockSync clock;
  EXPECT_EQ(clock.min_rtt(), 0ns);
  clock.handle_sample({100, 5100, 5150, 150}, start);
  EXPECT_TRUE(clock.valid());
  EXPECT_EQ(clock.offset(), 5000ns);
  EXPECT_EQ(clock.rtt(), 0ns);
  clock.handle_sample({1000, 6010, 6010, 1020}, start + 1us);
  EXPECT_EQ(clock.min_rtt(), 0ns);
}

TEST(ClockSync, the_widest_plausible_clocks_do_not_overflow)
{
  constexpr std::int64_t edge = (std::int64_t{1} << 61) - 1;
  ClockSync clock;
  for (int i = 0; i < 50; ++i) {
    clock.handle_sample({-edge, edge, edge, -edge}, start + i * 1s);
    clock.handle_sample({edge, -edge, -edge, edge}, start + i * 1s);
    clock.handle_sample({-edge, -edge, -edge, edge}, start + i * 1s);
  }
  EXPECT_TRUE(clock.valid());
}

TEST(ClockSync, drift_is_measured_and_then_followed_between_samples)
{
  for (const double drift : {-45.0, -3.0, 0.0, 20.0, 49.0}) {
    ClockSync clock;
    World world{.offset = 1min, .drift_ppm = drift, .forward = 100us, .back = 100us};
    auto now = start;
    for (int i = 0; i < 47; ++i) now = world.exchange(clock, start + i * 1s);
    EXPECT_EQ(clock.drift_ppm(), 0);
    for (int i = 47; i < 300; ++i) now = world.exchange(clock, start + i * 1s);
    EXPECT_NEAR(clock.drift_ppm(), drift, 0.1);
    EXPECT_LE(std::chrono::abs(clock.offset(now + 60s) - world.true_offset(now + 60s)), 10us);
    const auto growth = clock.error_bound(now + 1000s) - clock.error_bound(now);
    EXPECT_LT(growth, 10ms);
  }
}

TEST(ClockSync, drift_beyond_the_assumption_is_held_once_measured)
{
  ClockSync clock;
  World world{.drift_ppm = 150, .forward = 100us, .back = 100us};
  for (int i = 0; i < 600; ++i) {
    const auto now = world.exchange(clock, start + i * 1s);
    if (clock.drift_ppm() > 0) world.expect_within_bound(clock, now + 1s);
  }
  EXPECT_NEAR(clock.drift_ppm(), 150, 1);
}

TEST(ClockSync, up_to_three_contradicting_samples_in_a_row_are_ignored)
{
  ClockSync clock;
  World world{.offset = 2s};
  auto now = start;
  for (int i = 0; i < 40; ++i) {
    world.offset = i % 5 < 3 && i > 5 ? 9s : 2s;
    now = world.exchange(clock, start + i * 1s);
    ASSERT_EQ(clock.offset(), 2s);
  }
  EXPECT_EQ(clock.refused(), 20U);
}

TEST(ClockSync, a_clock_that_was_set_is_followed_after_four_samples)
{
  ClockSync clock;
  World world{.offset = 2s, .drift_ppm = 30, .forward = 100us, .back = 100us};
  for (int i = 0; i < 100; ++i) world.exchange(clock, start + i * 1s);
  world.offset = -1h;
  for (int i = 100; i < 103; ++i) world.exchange(clock, start + i * 1s);
  EXPECT_GT(clock.offset(), 0s);
  const auto now = world.exchange(clock, start + 103s);
  world.expect_within_bound(clock, now);
  EXPECT_EQ(clock.drift_ppm(), 0);
  EXPECT_EQ(clock.offset(now + 1000s), clock.offset(now));
  EXPECT_GE(clock.error_bound(now + 1000s), 50ms);
  world.drift_ppm = -30;
  for (int i = 104; i < 160; ++i) world.exchange(clock, start + i * 1s);
  EXPECT_NEAR(clock.drift_ppm(), -30, 1);
}

TEST(ClockSync, a_drift_that_changes_is_followed)
{
  ClockSync clock;
  World world{.drift_ppm = 10, .forward = 100us, .back = 100us};
  for (int i = 0; i < 600; ++i) world.exchange(clock, start + i * 1s);
  EXPECT_NEAR(clock.drift_ppm(), 10, 0.1);
  world.offset -= 12ms;  // the new line meets the old one at 600 s
  world.drift_ppm = 30;
  for (int i = 600; i < 1200; ++i) world.exchange(clock, start + i * 1s);
  EXPECT_NEAR(clock.drift_ppm(), 30, 0.1);
  EXPECT_EQ(clock.refused(), 0U);
}

TEST(ClockSync, drift_is_measured_through_jitter_by_the_best_samples)
{
  ClockSync clock;
  World world{
    .drift_ppm = 25, .forward = 200us, .back = 200us, .forward_jitter = 5ms, .back_jitter = 5ms};
  for (int i = 0; i < 256; ++i) world.exchange(clock, start + i * 1s);
  EXPECT_NEAR(clock.drift_ppm(), 25, 10);
}

TEST(ClockSync, drift_is_measured_by_the_best_sample_of_each_window)
{
  ClockSync clock;
  for (int i = 0; i < 16 * 6; ++i) {
    World world{.drift_ppm = 25, .forward = 100us, .back = 100us};
    if (i % 16 != 7) world.forward += (1 + i / 16) * 10ms;  // ever slower
    world.exchange(clock, start + i * 1s);
  }
  EXPECT_NEAR(clock.drift_ppm(), 25, 1);
}

TEST(ClockSync, a_drift_measured_worse_than_assumed_does_not_widen_the_bound)
{
  ClockSync clock;
  World world{.drift_ppm = 25, .forward = 40ms, .back = 40ms};
  Instant now;
  for (int i = 0; i < 64; ++i) now = world.exchange(clock, start + i * 1s);
  EXPECT_NEAR(clock.drift_ppm(), 25, 1);
  EXPECT_EQ(clock.offset(now + 1000s), clock.offset(now));
  EXPECT_LE(clock.error_bound(now + 1000s) - clock.error_bound(now), 50ms + 1ns);
}

TEST(ClockSync, a_late_answer_adds_drift_that_the_bound_includes)
{
  ClockSync clock;
  World world{.drift_ppm = 48, .forward = 0ms, .back = 1ms, .hold = 10s};
  const auto now = world.exchange(clock, start);
  world.expect_within_bound(clock, now);
  world.expect_within_bound(clock, now - 5s);
  EXPECT_GT(clock.error_bound(now) - clock.error_bound(now - 5s), 200us);
}

TEST(ClockSync, the_error_stays_within_the_bound_on_any_path)
{
  std::mt19937_64 random(7);
  const auto upto = [&](Duration most) {
    return Duration(
      static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most.count() + 1)));
  };
  for (int round = 0; round < 200; ++round) {
    ClockSync clock;
    World world;
    world.random.seed(random());
    world.offset = upto(2h) - 1h;
    world.drift_ppm = static_cast<double>(random() % 97) - 48;
    world.forward = upto(round % 2 == 0 ? 1ms : 80ms);
    world.back = upto(round % 3 == 0 ? 1ms : 80ms);
    world.forward_jitter = upto(20ms);
    world.back_jitter = upto(random() % 2 == 0 ? 1ms : 200ms);
    world.hold = upto(random() % 4 == 0 ? 500ms : 1ms);
    auto at = start;
    for (int i = 0; i < 400; ++i) {
      at += 1ms + upto(3s);
      at = world.exchange(clock, at);
      world.expect_within_bound(clock, at);
      world.expect_within_bound(clock, at + upto(100s));
    }
    EXPECT_EQ(clock.refused(), 0U);
    EXPECT_LE(clock.min_rtt(), clock.rtt() + 500ms);
    EXPECT_GE(clock.min_rtt(), world.forward + world.back - 50us);
  }
}

}  // namespace pqc_tunnel
