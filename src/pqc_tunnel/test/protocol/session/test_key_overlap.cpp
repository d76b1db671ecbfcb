// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "support/pair/traffic.hpp"

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

// One datagram is held up by the network while rekeys follow one another as fast as they can.
void expect_late_datagram_arrives(Side from)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  pair.run_for(3s);
  pair.set_channel([](Side, Bytes &) { return std::vector<Duration>{500ms}; });
  ASSERT_TRUE(pair.send(from, numbered(7)));
  pair.set_channel(nullptr);
  for (int rekeys = 0; rekeys < 4; ++rekeys) {
    pair.drone().request_rekey(rekey_to(nullptr), pair.now());
    ASSERT_TRUE(pair.run_until(
      [&] { return pair.outcomes(Side::drone).size() == static_cast<std::size_t>(rekeys + 1); },
      100ms));
    EXPECT_TRUE(pair.outcomes(Side::drone).back().success);
  }
  ASSERT_TRUE(pair.received(other(from)).empty());
  pair.run_for(500ms);
  EXPECT_EQ(pair.received(other(from)), std::deque<Bytes>{numbered(7)});
}

TEST(KeyOverlap, lets_a_late_datagram_of_the_drone_through_after_several_rekeys)
{
  expect_late_datagram_arrives(Side::drone);
}

TEST(KeyOverlap, lets_a_late_datagram_of_the_gcs_through_after_several_rekeys)
{
  expect_late_datagram_arrives(Side::gcs);
}

TEST(KeyOverlap, ends_for_every_key_even_if_rekeys_never_do)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  std::map<Side, std::array<std::uint8_t, 16>> first;
  for (const Side side : both_sides) {
    first[side] = pair.snapshot(side).keys.back().transcript_tag;
  }
  for (int rekeys = 0; rekeys < 3; ++rekeys) {
    pair.drone().request_rekey(rekey_to(nullptr), pair.now());
    pair.run_for(1s);
  }
  for (const Side side : both_sides) {
    const auto keys = pair.snapshot(side).keys;
    EXPECT_GT(keys.size(), 1u);
    EXPECT_EQ(std::ranges::count(keys, first[side], &InstalledKeys::transcript_tag), 0);
  }
}

// The ground station sends under them until it has seen the new ones.
TEST(KeyOverlap, lasts_while_the_new_keys_do_not_reach_the_ground_station)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  pair.run_for(3s);
  const auto committed = [&pair] { return pair.saw(Side::drone, EventKind::rekey_committed); };
  pair.set_datagram_filter([&](Side from, Bytes &) { return from == Side::gcs || !committed(); });
  pair.drone().request_rekey(rekey_to(nullptr), pair.now());
  ASSERT_TRUE(pair.run_until(committed));
  pair.run_for(4s);
  ASSERT_TRUE(pair.send(Side::gcs, numbered(7)));
  pair.run_for(11ms);
  EXPECT_EQ(pair.received(Side::drone), std::deque<Bytes>{numbered(7)});
}

}  // namespace
}  // namespace pqc_tunnel::test
