// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "protocol/session/freshness.hpp"

#include <gtest/gtest.h>

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr Instant start{1000s};

TEST(Freshness, refuses_what_a_later_packet_has_overtaken_long_ago)
{
  Freshness freshness(1s);
  freshness.note(2, start);
  EXPECT_FALSE(freshness.is_late(1, start + 1s));
  EXPECT_TRUE(freshness.is_late(1, start + 1001ms));
  EXPECT_FALSE(freshness.is_late(3, start + 1h));
}

TEST(Freshness, remembers_every_packet_of_a_burst_before_a_silence)
{
  Freshness freshness(1s);
  freshness.note(100, start);
  freshness.note(105, start + 50ms);
  freshness.note(106, start + 1290ms);
  EXPECT_TRUE(freshness.is_late(104, start + 1300ms));
  EXPECT_FALSE(freshness.is_late(105, start + 1040ms));
}

TEST(Freshness, allows_an_eighth_more_whatever_the_rate)
{
  for (const Duration interval : {1ms, 40ms, 124ms, 126ms, 900ms}) {
    Freshness freshness(1s);
    Instant now = start;
    for (std::uint64_t sequence = 1; sequence < 200; ++sequence, now += interval) {
      freshness.note(sequence, now);
    }
    // The packet with the number n was sent at start + (n - 1) * interval.
    const Instant end = now - interval;
    for (std::uint64_t overtaken = 100; overtaken < 199; ++overtaken) {
      const Duration age = end - (start + static_cast<std::int64_t>(overtaken) * interval);
      if (age <= 1s) {
        EXPECT_FALSE(freshness.is_late(overtaken, end)) << interval.count() << " " << overtaken;
      } else if (age > 1125ms) {
        EXPECT_TRUE(freshness.is_late(overtaken, end)) << interval.count() << " " << overtaken;
      }
    }
  }
}

TEST(Freshness, is_not_lowered_by_a_packet_that_comes_out_of_order)
{
  Freshness freshness(1s);
  freshness.note(10, start);
  freshness.note(5, start + 10ms);
  EXPECT_TRUE(freshness.is_late(7, start + 1100ms));
}

}  // namespace
}  // namespace pqc_tunnel::test
