// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <chrono>

#include "node/companions.hpp"

namespace pqc_tunnel
{
namespace
{

using Level = Diagnosis::Level;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Instant start{seconds(1000)};

TEST(Companions, a_companion_that_never_appeared_is_not_missed)
{
  const Companions companions{seconds(3)};
  const auto diagnosis = companions.diagnose(start + seconds(3600));
  EXPECT_EQ(diagnosis.level, Level::ok);
  EXPECT_EQ(diagnosis.text, "No MAVLink has come in from this machine yet.");
}

TEST(Companions, a_source_that_falls_silent_on_the_ground_is_a_warning)
{
  Companions companions{seconds(3)};
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
  Companions companions{seconds(3)};
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

TEST(Companions, a_silence_of_zero_seconds_turns_the_watch_off)
{
  Companions companions{seconds(0)};
  companions.handle_armed(true);
  companions.handle_mavlink(10, start);
  EXPECT_EQ(companions.diagnose(start + seconds(60)).level, Level::ok);
}

TEST(Companions, a_policy_that_has_disappeared_is_a_warning)
{
  Companions companions{seconds(3)};
  companions.handle_decision(start);
  EXPECT_EQ(companions.diagnose(start + seconds(5)).level, Level::ok);
  const auto diagnosis = companions.diagnose(start + seconds(6));
  EXPECT_EQ(diagnosis.level, Level::warning);
  EXPECT_EQ(diagnosis.text, "The policy has been silent for 6.0 s: nothing adapts the suite.");
}

TEST(Companions, silence_while_armed_is_reported_before_a_missing_policy)
{
  Companions companions{seconds(3)};
  companions.handle_armed(true);
  companions.handle_mavlink(10, start);
  companions.handle_decision(start);
  const auto diagnosis = companions.diagnose(start + seconds(10));
  EXPECT_EQ(diagnosis.level, Level::error);
  EXPECT_EQ(diagnosis.text.find("policy"), std::string::npos);
}

}  // namespace
}  // namespace pqc_tunnel
