// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "paths/path_health.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "paths.hpp"

// Whether one path delivers.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

TEST(PathHealth, of_a_link_that_is_gone_is_changed_by_nothing_that_still_arrives)
{
  DeterministicRandom random{1};
  Instant now{1h};
  for (const bool probed : {false, true}) {
    PathHealth health({probed, 300ms, {}, {}}, now);
    const auto nonce = health.take_probe(random, now);
    EXPECT_EQ(nonce.has_value(), probed);
    health.handle_link_down();
    health.handle_frame(now);
    EXPECT_FALSE(health.handle_answer(nonce.value_or(0), now));
    EXPECT_EQ(health.state(), PathState::down);
    EXPECT_EQ(health.next_timeout(), Instant::max());
    health.handle_link_up(now);
    EXPECT_EQ(health.state(), PathState::probing);
  }
}

TEST(PathHealth, of_a_path_that_was_down_needs_three_answers_and_a_second)
{
  for (const auto & [spacing, answers] : {std::pair{400ms, 4}, {1000ms, 3}, {100ms, 11}}) {
    DeterministicRandom random{1};
    Instant now{1h};
    PathHealth health({true, 300ms, {}, {}}, now);
    const auto answer = [&] {
      const auto nonce = health.take_probe(random, std::max(now, health.next_probe()));
      EXPECT_TRUE(health.handle_answer(nonce.value(), now));
    };
    answer();
    EXPECT_EQ(health.state(), PathState::up) << "one answer is enough at first";
    health.handle_link_up(now);
    EXPECT_EQ(health.state(), PathState::up) << "it was there";
    health.handle_link_down();
    health.handle_link_up(now);
    for (int n = 1; n <= answers; ++n, now += spacing) {
      EXPECT_EQ(health.state(), PathState::probing) << n;
      answer();
    }
    EXPECT_EQ(health.state(), PathState::up);
  }
}

TEST(PathHealth, counts_a_probe_as_lost_after_half_a_second_and_smooths_the_round_trip)
{
  DeterministicRandom random{1};
  Instant now{1h};
  PathHealth health({true, 300ms, {}, {}}, now);
  EXPECT_EQ(health.loss(now), 0);
  const auto first = health.take_probe(random, now).value();
  EXPECT_EQ(health.loss(now + 499ms), 0);
  EXPECT_EQ(health.loss(now + 500ms), 1);
  EXPECT_TRUE(health.handle_answer(first, now + 40ms));
  EXPECT_EQ(health.rtt(), 40ms);
  EXPECT_EQ(health.loss(now + 500ms), 0);
  now += 2s;
  const auto second = health.take_probe(random, now).value();
  EXPECT_EQ(health.loss(now + 499ms), 0);
  EXPECT_EQ(health.loss(now + 500ms), 0.5);
  EXPECT_TRUE(health.handle_answer(second, now + 80ms));
  EXPECT_FALSE(health.handle_answer(second, now + 80ms));
  EXPECT_EQ(health.rtt(), 45ms);
}

}  // namespace
}  // namespace pqc_tunnel::test
