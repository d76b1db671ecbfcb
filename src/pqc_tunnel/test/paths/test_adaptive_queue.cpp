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
  queue.use(std::nullopt, true);
  EXPECT_TRUE(queue.is_active());
  queue.use(10'000.0, false);
  queue.shaper().of(0).offer(Bytes(100), now);
  queue.use(std::nullopt, false);
  EXPECT_TRUE(queue.is_active()) << "something waits";
  now += 1s;
  EXPECT_TRUE(queue.shaper().next_frame(now));
  queue.use(std::nullopt, false);
  EXPECT_FALSE(queue.is_active());
}

}  // namespace
}  // namespace pqc_tunnel::test
