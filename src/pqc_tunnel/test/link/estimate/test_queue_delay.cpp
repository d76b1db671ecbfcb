// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "link/estimate/queue_delay.hpp"

#include <gtest/gtest.h>

#include "link/estimate/saturation.hpp"

// How long frames wait in the queues of a link, and what a key exchange gets by it.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

const Instant start{1h};

TEST(QueueDelay, is_what_the_newest_five_delays_have_beyond_the_shortest_one)
{
  QueueDelay queue;
  for (int n = 0; n < 5; ++n) {
    EXPECT_FALSE(queue.known());
    queue.handle_delay(40ms, false, start);
  }
  EXPECT_TRUE(queue.known());
  EXPECT_EQ(queue.most(), Duration{});
  queue.handle_delay(140ms, false, start);
  queue.handle_delay(90ms, false, start);
  EXPECT_EQ(queue.least(), Duration{});
  EXPECT_EQ(queue.most(), 100ms);
  EXPECT_EQ(queue.newest(), 50ms);
}

TEST(QueueDelay, of_a_longer_way_is_forgotten_after_a_minute_unless_a_queue_stands)
{
  for (const bool stands : {false, true}) {
    QueueDelay queue;
    queue.handle_delay(40ms, stands, start);
    for (Duration time = 1s; time <= 90s; time += 1s) {
      queue.handle_delay(140ms, stands, start + time);
      EXPECT_EQ(queue.newest(), stands || time < 60s ? 100ms : 0ms) << time / 1s;
    }
  }
}

TEST(QueueDelay, beyond_half_a_minute_is_another_clock)
{
  for (const Duration jump : {Duration(30s), Duration(30s + 1ms)}) {
    QueueDelay queue;
    for (int n = 0; n < 5; ++n) {
      queue.handle_delay(40ms, false, start);
    }
    queue.handle_delay(40ms + jump, false, start);
    EXPECT_EQ(queue.known(), jump == 30s);
    EXPECT_EQ(queue.newest(), jump == 30s ? jump : Duration{});
  }
}

// A link of which the peer has reported a delivery, and on which so many frames have met a queue.
struct Way
{
  explicit Way(Saturation::Delivery delivery, int delays = 5)
  {
    for (int n = 0; n < delays; ++n) {
      saturation.handle_delay(40ms, start);
    }
    saturation.handle_delivery(delivery, start);
  }
  bool makes_way(Duration delay, Duration time = {})
  {
    saturation.handle_delay(delay, start + time);
    return saturation.makes_way();
  }
  Saturation saturation{1000};
};

constexpr Saturation::Delivery half_lost{8000, 4000};

TEST(MakingWay, begins_with_one_long_delay_in_an_exchange_and_ends_after_three_seconds)
{
  Way way(half_lost);
  EXPECT_FALSE(way.makes_way(900ms)) << "nothing is exchanged";
  way.saturation.set_exchanging(true, start);
  EXPECT_TRUE(way.makes_way(900ms));
  EXPECT_TRUE(way.makes_way(900ms, 2999ms));
  EXPECT_FALSE(way.makes_way(900ms, 3s));
  EXPECT_FALSE(way.makes_way(900ms, 10s)) << "once in an exchange";
  way.saturation.set_exchanging(false, start + 11s);
  way.saturation.set_exchanging(true, start + 11s);
  EXPECT_TRUE(way.makes_way(900ms, 11s));
  way.saturation.set_exchanging(false, start + 11s);
  EXPECT_FALSE(way.saturation.makes_way());
}

TEST(MakingWay, needs_a_queue_that_is_known_long_and_loses)
{
  Way short_one(half_lost);
  short_one.saturation.set_exchanging(true, start);
  EXPECT_FALSE(short_one.makes_way(60ms));
  Way unknown(half_lost, 1);
  unknown.saturation.set_exchanging(true, start);
  EXPECT_FALSE(unknown.makes_way(900ms));
  Way without_loss({8000, 8000});
  without_loss.saturation.set_exchanging(true, start);
  EXPECT_FALSE(without_loss.makes_way(900ms));
}

TEST(Saturation, that_is_probable_wants_more_delays_and_is_no_limit_yet)
{
  EXPECT_FALSE(Saturation(1000).limits());
  EXPECT_FALSE(Saturation(1000).wants_delays());
  Way full(half_lost);
  EXPECT_FALSE(full.saturation.wants_delays());
  full.makes_way(900ms);
  EXPECT_TRUE(full.saturation.wants_delays());
  EXPECT_FALSE(full.saturation.limits());
  Way losing_less({8000, 6000});
  losing_less.makes_way(900ms);
  EXPECT_FALSE(losing_less.saturation.wants_delays());
}

}  // namespace
}  // namespace pqc_tunnel::test
