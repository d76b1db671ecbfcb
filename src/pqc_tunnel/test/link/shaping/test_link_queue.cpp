// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "link/shaping/link_queue.hpp"

#include <gtest/gtest.h>

#include "link/paths/paths.hpp"

// The queue before a link whose rate is configured, or was found.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

TEST(LinkQueue, of_unknown_rate_is_used_while_a_rate_is_known_and_then_until_it_is_empty)
{
  LinkQueue queue(link(), 1);
  Instant now{1h};
  EXPECT_FALSE(queue.is_active());
  queue.use_found_rate(std::nullopt, true, false);
  EXPECT_TRUE(queue.is_active());
  queue.use_found_rate(10'000.0, false, false);
  queue.change().of(0).offer(Bytes(100), now);
  queue.use_found_rate(std::nullopt, false, false);
  EXPECT_TRUE(queue.is_active()) << "something waits";
  now += 1s;
  EXPECT_TRUE(queue.change().next_frame(now));
  queue.use_found_rate(std::nullopt, false, false);
  EXPECT_FALSE(queue.is_active());
}

TEST(LinkQueue, bundles_without_a_rate)
{
  LinkQueue queue(link(), 1);
  const Instant now{1h};
  queue.use_found_rate(std::nullopt, false, true);
  EXPECT_TRUE(queue.is_active());
  for (int i = 0; i < 6; ++i) {
    queue.change().of(0).offer(Bytes(100), now);
  }
  const auto turn = queue.change().next_frame(now);
  ASSERT_TRUE(turn);
  EXPECT_EQ(turn->shaped.datagrams, 2U) << "as long as a bundle is on the slowest links";
  EXPECT_TRUE(queue.change().next_frame(now)) << "no rate holds it back";
}

TEST(LinkQueue, of_configured_rate_is_always_used_at_that_rate)
{
  LinkSettings radio = link();
  radio.rate_kbit = 57.6;
  LinkQueue queue(radio, 1);
  queue.use_found_rate(10'000.0, true, false);
  queue.use_found_rate(std::nullopt, false, false);
  EXPECT_TRUE(queue.is_active());
  const Instant now{1h};
  EXPECT_EQ(queue.due(), Instant::max());
  queue.change().of(0).offer(Bytes(100), now);
  const Instant alone = now + 20ms;  // no other datagram has come
  ASSERT_TRUE(queue.change().next_frame(alone));
  EXPECT_EQ(queue.shaper().of(0).free_at(), alone + radio.airtime(100 + sealed_overhead));
}

}  // namespace
}  // namespace pqc_tunnel::test
