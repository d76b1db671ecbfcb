// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "link/paths/path_health.hpp"

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

TEST(PathHealth, of_a_path_that_was_never_up_needs_one_answer_even_after_it_was_down)
{
  DeterministicRandom random{1};
  Instant now{1h};
  PathHealth health({true, 300ms, {}, {}}, now);
  health.handle_frame(now + 3s);  // that alone shows one direction
  health.handle_timeout(now + 4s - 1ns);
  EXPECT_EQ(health.state(), PathState::probing);
  now += 4s;
  health.handle_timeout(now);
  EXPECT_EQ(health.state(), PathState::down);
  EXPECT_TRUE(health.handle_answer(health.take_probe(random, now).value(), now));
  EXPECT_EQ(health.state(), PathState::up);
}

TEST(PathHealth, of_the_only_path_of_all_follows_the_frames_that_arrive)
{
  const Instant now{1h};
  PathHealth health({false, 300ms, {}, {}}, now);
  EXPECT_EQ(health.next_timeout(), now + 3s);
  health.handle_frame(now);
  health.handle_frame(now + 5s);
  health.handle_timeout(now + 8s - 1ns);
  EXPECT_EQ(health.state(), PathState::up);
  health.handle_timeout(now + 8s);
  EXPECT_EQ(health.state(), PathState::down);
}

// A path that is up since `now`, with the round trip.
PathHealth proved(const PathHealth::Settings & settings, Duration rtt, Instant now)
{
  DeterministicRandom random{1};
  PathHealth health(settings, now - rtt);
  EXPECT_TRUE(health.handle_answer(health.take_probe(random, now - rtt).value(), now));
  EXPECT_EQ(health.state(), PathState::up);
  return health;
}

TEST(PathHealth, of_a_path_that_comes_back_allows_for_its_round_trip)
{
  Instant now{1h};
  PathHealth health = proved({true, 300ms, {}, {}}, 400ms, now);
  health.handle_link_down();
  now += 1s;
  health.handle_link_up(now);
  health.handle_timeout(now + 900ms - 1ns);
  EXPECT_EQ(health.state(), PathState::probing);
  health.handle_timeout(now + 900ms);
  EXPECT_EQ(health.state(), PathState::down);
}

TEST(PathHealth, of_a_path_that_is_watched_no_more_counts_silence_from_the_last_frame)
{
  const Instant now{1h};
  PathHealth health = proved({true, 300ms, {}, {}}, {}, now);
  health.watch_closely(true, now);
  health.watch_closely(false, now + 200ms);
  health.handle_timeout(now + 3s - 1ns);
  EXPECT_EQ(health.state(), PathState::up);
  health.handle_timeout(now + 3s);
  EXPECT_EQ(health.state(), PathState::down);
}

TEST(PathHealth, of_a_fast_path_is_given_up_in_time_although_an_answer_came_late)
{
  DeterministicRandom random{1};
  Instant now{1h};
  PathHealth health = proved({true, 300ms, {}, {}}, {}, now);
  const auto late = health.take_probe(random, now + 1s).value();
  now += 6s;
  health.watch_closely(true, now);
  ASSERT_TRUE(health.take_probe(random, now));
  EXPECT_TRUE(health.handle_answer(late, now));
  health.handle_timeout(now + 300ms);
  EXPECT_EQ(health.state(), PathState::down);
}

TEST(PathHealth, is_asked_for_often_only_while_it_may_cost_data)
{
  DeterministicRandom random{1};
  Instant now{1h};
  PathHealth thin({true, 300ms, 200ms, {}}, now);
  ASSERT_TRUE(thin.take_probe(random, now));
  EXPECT_EQ(thin.next_probe(), now + 200ms) << "as often as the rate allows at first";
  PathHealth health = proved({true, 300ms, {}, {}}, {}, now);
  now += 1s;
  ASSERT_TRUE(health.take_probe(random, now));
  EXPECT_EQ(health.next_probe(), now + 1s) << "silent, but not watched";
  health.watch_closely(true, now);
  EXPECT_EQ(health.next_probe(), now + 50ms);
  health.handle_timeout(now + 300ms);
  ASSERT_EQ(health.state(), PathState::down);
  EXPECT_EQ(health.next_probe(), now + 1s) << "lost already";
}

TEST(PathHealth, does_not_count_a_new_probe_before_it_is_answered)
{
  DeterministicRandom random{1};
  Instant now{1h};
  PathHealth health({true, 300ms, {}, {}}, now);
  ASSERT_TRUE(health.take_probe(random, now));
  now += 1s;
  const auto second = health.take_probe(random, now).value();
  EXPECT_EQ(health.loss(now), 1);
  EXPECT_TRUE(health.handle_answer(second, now));
  EXPECT_EQ(health.loss(now), 0.5);
}

}  // namespace
}  // namespace pqc_tunnel::test
