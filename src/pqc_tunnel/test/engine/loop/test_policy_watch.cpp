// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "engine/loop/policy_watch.hpp"

#include <gtest/gtest.h>

namespace pqc_tunnel::test
{
namespace
{

using std::chrono::seconds;

constexpr Instant start{seconds(100)};
constexpr PeerIndex drone{3};

TEST(PolicyWatch, reports_the_begin_and_the_end_of_a_silence_once)
{
  PolicyWatch watch(drone);
  const auto begin = watch.handle({true, true}, start);
  ASSERT_TRUE(begin);
  EXPECT_EQ(begin->kind, EventKind::policy_lost);
  EXPECT_EQ(begin->peer, drone);
  EXPECT_EQ(begin->time, start);
  EXPECT_EQ(
    begin->text,
    "the drone's policy is silent while the vehicle is armed: nothing adapts the suite");
  EXPECT_TRUE(watch.silent());
  EXPECT_FALSE(watch.handle({true, true}, start + seconds(1)));
  const auto end = watch.handle({false, true}, start + seconds(2));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->kind, EventKind::policy_back);
  EXPECT_EQ(severity(*end), EventSeverity::info);
  EXPECT_FALSE(watch.silent());
  EXPECT_FALSE(watch.handle({false, true}, start + seconds(3)));
}

TEST(PolicyWatch, a_silence_is_an_error_unless_the_vehicle_is_disarmed)
{
  const auto severity_of = [](std::optional<bool> armed) {
    return severity(*PolicyWatch(drone).handle({true, armed}, start));
  };
  EXPECT_EQ(severity_of(true), EventSeverity::error);
  EXPECT_EQ(severity_of(std::nullopt), EventSeverity::error);
  EXPECT_EQ(severity_of(false), EventSeverity::warning);
}

TEST(PolicyWatch, a_decision_ends_the_silence)
{
  PolicyWatch watch(drone);
  EXPECT_FALSE(watch.handle_decision(start));
  watch.handle({true, false}, start + seconds(6));
  const auto end = watch.handle_decision(start + seconds(7));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->kind, EventKind::policy_back);
}

// The drone's node may find a new policy in the graph some seconds after its decisions begin to pass.
TEST(PolicyWatch, a_policy_whose_decisions_pass_is_not_silent_whoever_says_so)
{
  PolicyWatch watch(drone);
  watch.handle({true, true}, start);
  ASSERT_TRUE(watch.handle_decision(start + seconds(1)));
  EXPECT_FALSE(watch.handle({true, true}, start + seconds(2)));
  EXPECT_FALSE(watch.handle_decision(start + seconds(2)));
  EXPECT_FALSE(watch.handle({true, true}, start + seconds(7)));
  EXPECT_TRUE(watch.handle({true, true}, start + seconds(8)));
}

TEST(PolicyWatch, a_new_session_hears_of_the_silence_again)
{
  PolicyWatch watch(drone);
  watch.handle({true, false}, start);
  watch.forget();
  EXPECT_FALSE(watch.silent());
  EXPECT_TRUE(watch.handle({true, false}, start + seconds(1)));
}

}  // namespace
}  // namespace pqc_tunnel::test
