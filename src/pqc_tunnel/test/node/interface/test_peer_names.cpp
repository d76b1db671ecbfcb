// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "node/interface/peer_names.hpp"

namespace pqc_tunnel
{
namespace
{

using Names = std::vector<std::string>;

TEST(PeerNames, an_only_peer_has_the_plain_names)
{
  EXPECT_EQ(name_prefixes({"drone-1"}).value(), Names{""});
}

TEST(PeerNames, each_of_several_drones_has_names_under_its_own)
{
  EXPECT_EQ(name_prefixes({"alpha", "bravo"}).value(), (Names{"alpha/", "bravo/"}));
}

TEST(PeerNames, characters_that_ros_names_do_not_allow_are_replaced)
{
  EXPECT_EQ(
    name_prefixes({"my-drone__2", "7", "_x"}).value(), (Names{"my_drone_2/", "drone_7/", "x/"}));
}

TEST(PeerNames, two_drones_that_would_share_a_name_are_refused)
{
  const auto prefixes = name_prefixes({"a__b", "c", "a_b"});
  ASSERT_FALSE(prefixes);
  EXPECT_EQ(
    prefixes.error().message,
    "The drones a__b and a_b would share their ROS names (a_b/status): rename one.");
}

}  // namespace
}  // namespace pqc_tunnel
