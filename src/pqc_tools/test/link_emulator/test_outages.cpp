// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "link_emulator/outages.hpp"

namespace pqc_tunnel::link_emulator
{
namespace
{

using std::chrono::milliseconds;
constexpr Instant start{std::chrono::hours(5)};

TEST(Outages, a_window_contains_its_start_and_not_its_end)
{
  const Outages outages({{milliseconds(100), milliseconds(50), std::nullopt}}, start);
  EXPECT_FALSE(outages.end(start + milliseconds(99)));
  EXPECT_EQ(outages.end(start + milliseconds(100)), start + milliseconds(150));
  EXPECT_EQ(outages.end(start + milliseconds(149)), start + milliseconds(150));
  EXPECT_FALSE(outages.end(start + milliseconds(150)));
  EXPECT_FALSE(outages.end(start + milliseconds(1100)));
}

TEST(Outages, a_periodic_window_comes_back_for_ever)
{
  const Outages outages({{milliseconds(100), milliseconds(50), milliseconds(1000)}}, start);
  EXPECT_FALSE(outages.end(start));
  for (const int day : {0, 1, 86'400}) {
    const Instant window = start + milliseconds(100) + day * milliseconds(1000);
    EXPECT_EQ(outages.end(window), window + milliseconds(50));
    EXPECT_FALSE(outages.end(window + milliseconds(50)));
  }
}

TEST(Outages, windows_that_meet_are_one_outage)
{
  const Outages outages(
    {{milliseconds(150), milliseconds(50), std::nullopt},
     {milliseconds(100), milliseconds(60), std::nullopt}},
    start);
  EXPECT_EQ(outages.end(start + milliseconds(110)), start + milliseconds(200));
}

}  // namespace
}  // namespace pqc_tunnel::link_emulator
