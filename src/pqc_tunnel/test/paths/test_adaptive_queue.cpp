// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "paths/adaptive_queue.hpp"

#include <gtest/gtest.h>

#include "paths.hpp"

// The queue before a link whose rate was found.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

TEST(AdaptiveQueue, is_used_while_a_rate_is_known_and_then_until_it_is_empty)
{
  AdaptiveQueue queue(link(), 1);
  Instant now{1h};
  EXPECT_FALSE(queue.is_active());
  queue.use(std::nullopt, true, false);
  EXPECT_TRUE(queue.is_active());
  queue.use(10'000.0, false, false);
  queue.shaper().of(0).offer(Bytes(100), now);
  queue.use(std::nullopt, false, false);
  EXPECT_TRUE(queue.is_active()) << "something waits";
  now += 1s;
  EXPECT_TRUE(queue.shaper().next_frame(now));
  queue.use(std::nullopt, false, false);
  EXPECT_FALSE(queue.is_active());
}

TEST(AdaptiveQueue, bundles_without_a_rate)
{
  AdaptiveQueue queue(link(), 1);
  const Instant now{1h};
  queue.use(std::nullopt, false, true);
  EXPECT_TRUE(queue.is_active());
  for (int i = 0; i < 6; ++i) {
    queue.shaper().of(0).offer(Bytes(100), now);
  }
  const auto turn = queue.shaper().next_frame(now);
  ASSERT_TRUE(turn);
  EXPECT_EQ(turn->shaped.datagrams, 2U) << "as long as a bundle is on the slowest links";
  EXPECT_TRUE(queue.shaper().next_frame(now)) << "no rate holds it back";
}

}  // namespace
}  // namespace pqc_tunnel::test
