// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "engine/fleet_warnings.hpp"

#include <gtest/gtest.h>

namespace pqc_tunnel::test
{
namespace
{

using std::chrono::seconds;

const Instant start{seconds(1000)};

DecisionNotice decision_with(std::optional<std::uint8_t> verdict)
{
  DecisionNotice decision;
  decision.verdict = verdict;
  return decision;
}

std::vector<PeerIndex> drones(std::initializer_list<std::uint32_t> numbers)
{
  std::vector<PeerIndex> peers;
  for (const std::uint32_t number : numbers) {
    peers.push_back(PeerIndex{number});
  }
  return peers;
}

TEST(FleetWarnings, go_to_every_drone_but_the_one_that_reports_the_attack)
{
  FleetWarnings warnings(4);
  EXPECT_EQ(warnings.handle(PeerIndex{1}, decision_with(2), start), drones({0, 2, 3}));
}

TEST(FleetWarnings, need_an_attack)
{
  FleetWarnings warnings(2);
  for (const std::optional<std::uint8_t> verdict : {std::optional<std::uint8_t>(), {0}, {1}, {77}})
  {
    EXPECT_TRUE(warnings.handle(PeerIndex{0}, decision_with(verdict), start).empty());
  }
}

TEST(FleetWarnings, come_to_a_drone_once_in_an_interval_whoever_reports_how_often)
{
  FleetWarnings warnings(3);
  std::vector<int> count(3);
  for (int second = 0; second < 100; ++second) {
    for (const std::uint32_t from : {0u, 1u, 0u}) {
      for (const PeerIndex to :
           warnings.handle(PeerIndex{from}, decision_with(2), start + seconds(second)))
      {
        ++count.at(static_cast<std::size_t>(to));
      }
    }
  }
  EXPECT_EQ(count, (std::vector<int>{10, 10, 10}));
}

TEST(FleetWarnings, of_a_drone_alone_go_nowhere)
{
  FleetWarnings warnings(1);
  EXPECT_TRUE(warnings.handle(PeerIndex{0}, decision_with(2), start).empty());
}

}  // namespace
}  // namespace pqc_tunnel::test
