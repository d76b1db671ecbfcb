// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <chrono>

#include "node/diagnosis/companions.hpp"

namespace pqc_tunnel
{
namespace
{

using Level = Diagnosis::Level;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Instant start{seconds(1000)};

Companions unexpecting() { return {false, start}; }

TEST(Companions, a_companion_that_never_appeared_is_not_missed)
{
  const Companions companions = unexpecting();
  const auto diagnosis = companions.diagnose(start + seconds(3600));
  EXPECT_EQ(diagnosis.level, Level::ok);
  EXPECT_EQ(diagnosis.text, "No MAVLink has come in from this machine yet.");
}

TEST(Companions, a_source_that_falls_silent_on_the_ground_is_a_warning)
{
  Companions companions = unexpecting();
  companions.handle_armed(false);
  companions.handle_mavlink(10, start);
  EXPECT_EQ(companions.diagnose(start + seconds(3)).level, Level::ok);
  const auto diagnosis = companions.diagnose(start + milliseconds(3500));
  EXPECT_EQ(diagnosis.level, Level::warning);
  EXPECT_EQ(
    diagnosis.text, "No MAVLink from this machine for 3.5 s: has MAVROS or the router ended?");
}

TEST(Companions, a_source_that_falls_silent_while_armed_is_an_error_until_it_is_back)
{
  Companions companions = unexpecting();
  companions.handle_armed(true);
  companions.handle_mavlink(10, start);
  companions.handle_mavlink(10, start + seconds(4));
  const auto diagnosis = companions.diagnose(start + seconds(4));
  EXPECT_EQ(diagnosis.level, Level::error);
  EXPECT_EQ(
    diagnosis.text,
    "No MAVLink from this machine for 4.0 s while the vehicle is armed: has MAVROS or the router "
    "ended?");
  companions.handle_mavlink(11, start + seconds(5));
  EXPECT_EQ(companions.diagnose(start + seconds(5)).level, Level::ok);
}

TEST(Companions, a_policy_that_has_disappeared_is_an_error)
{
  Companions companions = unexpecting();
  companions.handle_decision(start);
  EXPECT_EQ(companions.diagnose(start + seconds(5)).level, Level::ok);
  const auto diagnosis = companions.diagnose(start + seconds(6));
  EXPECT_EQ(diagnosis.level, Level::error);
  EXPECT_EQ(diagnosis.text, "The policy has been silent for 6.0 s: nothing adapts the suite.");
}

TEST(Companions, a_policy_that_has_disappeared_on_the_ground_is_a_warning)
{
  Companions companions = unexpecting();
  companions.handle_armed(false);
  companions.handle_decision(start);
  EXPECT_EQ(companions.diagnose(start + seconds(6)).level, Level::warning);
}

TEST(Companions, a_silent_source_and_a_missing_policy_are_both_named_while_armed)
{
  Companions companions = unexpecting();
  companions.handle_armed(true);
  companions.handle_mavlink(10, start);
  companions.handle_decision(start);
  const auto diagnosis = companions.diagnose(start + seconds(10));
  EXPECT_EQ(diagnosis.level, Level::error);
  EXPECT_EQ(
    diagnosis.text,
    "No MAVLink from this machine for 10.0 s while the vehicle is armed: has MAVROS or the router "
    "ended? The policy has been silent for 10.0 s while the vehicle is armed: nothing adapts the "
    "suite.");
}

TEST(Companions, a_policy_that_is_expected_is_missed_even_if_it_never_decided)
{
  Companions companions{true, start};
  EXPECT_EQ(companions.diagnose(start + seconds(30)).level, Level::ok);
  const auto diagnosis = companions.diagnose(start + seconds(31));
  EXPECT_EQ(diagnosis.level, Level::error);
  EXPECT_EQ(
    diagnosis.text, "The policy has not decided since the start: nothing adapts the suite.");
  EXPECT_TRUE(companions.take_policy_notice(start + seconds(31)));
  companions.handle_decision(start + seconds(32));
  EXPECT_EQ(companions.diagnose(start + seconds(32)).level, Level::ok);
}

TEST(Companions, the_silence_of_the_policy_is_told_each_second_and_its_end_once)
{
  Companions companions = unexpecting();
  EXPECT_EQ(companions.take_policy_notice(start), std::nullopt);
  companions.handle_decision(start);
  companions.handle_armed(true);
  EXPECT_EQ(companions.take_policy_notice(start + seconds(5)), std::nullopt);
  for (int second = 6; second < 9; ++second) {
    EXPECT_EQ(companions.take_policy_notice(start + seconds(second)), PolicyNotice(true, true));
  }
  companions.handle_decision(start + seconds(9));
  EXPECT_EQ(companions.take_policy_notice(start + seconds(9)), PolicyNotice(false, true));
  EXPECT_EQ(companions.take_policy_notice(start + seconds(10)), std::nullopt);
}

}  // namespace
}  // namespace pqc_tunnel
