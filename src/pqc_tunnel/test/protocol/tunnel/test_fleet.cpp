// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <vector>

#include "protocol/wire/control_frame.hpp"
#include "support/pair/fleet.hpp"
#include "support/pair/traffic.hpp"

// Several drones at one ground station.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr std::uint8_t fleet_size = 20;

TEST(Fleet, connects_and_every_datagram_reaches_its_receiver)
{
  Fleet fleet(fleet_size);
  fleet.run_for(5s);
  for (std::size_t i = 0; i < fleet_size; ++i) {
    ASSERT_TRUE(fleet.agreed(i)) << i;
    EXPECT_EQ(fleet.at_gcs(i).name, "drone " + std::to_string(i + 1));
  }
  for (std::uint32_t n = 0; n < 50; ++n) {
    for (std::size_t i = 0; i < fleet_size; ++i) {
      fleet.send_up(i, numbered(n, 10 + i));
      fleet.send_down(i, numbered(n, 60 + i));
    }
  }
  for (std::size_t i = 0; i < fleet_size; ++i) {
    ASSERT_EQ(fleet.received_from(i).size(), 50u);
    ASSERT_EQ(fleet.heard_by(i).size(), 50u);
    for (std::uint32_t n = 0; n < 50; ++n) {
      EXPECT_EQ(fleet.received_from(i)[n], numbered(n, 10 + i));
      EXPECT_EQ(fleet.heard_by(i)[n], numbered(n, 60 + i));
    }
  }
}

TEST(Fleet, rekeys_all_at_once_each_to_its_own_epoch)
{
  Fleet fleet(fleet_size);
  fleet.run_for(5s);
  for (std::size_t i = 0; i < fleet_size; ++i) {
    for (std::size_t rekey = 0; rekey < i % 4; ++rekey) {
      fleet.drone(i).request_rekey(rekey_to(nullptr), fleet.now());
      fleet.run_for(2ms);
    }
  }
  fleet.run_for(1s);
  for (std::size_t i = 0; i < fleet_size; ++i) {
    EXPECT_TRUE(fleet.agreed(i)) << i;
    EXPECT_EQ(fleet.at_gcs(i).epoch, Epoch{static_cast<std::uint8_t>(i % 4)});
  }
}

TEST(Fleet, is_not_disturbed_by_one_drone_with_a_wrong_psk)
{
  Fleet fleet(5, 3);
  fleet.run_for(30s);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(fleet.agreed(i), i != 2) << i;
    EXPECT_EQ(fleet.at_gcs(i).handshakes, i != 2 ? 1u : 0u);
  }
  EXPECT_EQ(fleet.at_gcs(2).state, PeerState::disconnected);
}

TEST(Fleet, loses_one_drone_without_the_others_noticing)
{
  Fleet fleet(5);
  fleet.run_for(5s);
  fleet.silence(1);
  fleet.run_for(10s);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(fleet.agreed(i), i != 1) << i;
  }
  EXPECT_EQ(fleet.at_gcs(1).state, PeerState::lost);
  fleet.silence(1, false);
  fleet.run_for(7s);
  EXPECT_TRUE(fleet.agreed(1));
}

TEST(Fleet, counts_datagrams_of_no_drone_apart)
{
  Fleet fleet(3);
  fleet.run_for(5s);
  Bytes junk(100, 0x40);
  fleet.gcs().handle_datagram(junk, WiredPair::stranger(), fleet.now());
  junk[0] = 0;
  fleet.gcs().handle_datagram(junk, WiredPair::stranger(), fleet.now());
  const auto & drops = fleet.gcs().strangers().unassigned.drops;
  EXPECT_EQ(drops[static_cast<std::size_t>(Drop::unknown)], 1u);
  EXPECT_EQ(drops[static_cast<std::size_t>(Drop::malformed)], 1u);
  for (std::size_t i = 0; i < 3; ++i) {
    for (const std::uint64_t count : fleet.at_gcs(i).traffic.drops) {
      EXPECT_EQ(count, 0u);
    }
  }
}

// --- Work in proportion to what happens ---

std::vector<std::uint64_t> looks(Fleet & fleet, std::size_t size)
{
  std::vector<std::uint64_t> of_each;
  for (std::size_t i = 0; i < size; ++i) {
    of_each.push_back(fleet.at_gcs(i).looks);
  }
  return of_each;
}

class FleetOf : public testing::TestWithParam<std::uint8_t>
{
protected:
  void SetUp() override { fleet_.run_for(3s); }
  // How often the ground station has looked at each drone since the last call.
  std::vector<std::uint64_t> new_looks()
  {
    std::vector<std::uint64_t> now = looks(fleet_, GetParam());
    std::vector<std::uint64_t> of_each;
    std::ranges::transform(now, seen_, std::back_inserter(of_each), std::minus());
    seen_ = std::move(now);
    return of_each;
  }

  Fleet fleet_{GetParam()};
  std::vector<std::uint64_t> seen_ = std::vector<std::uint64_t>(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Sizes, FleetOf, testing::Values(2, 20, 200));

TEST_P(FleetOf, this_size_costs_a_datagram_one_look_at_its_drone)
{
  new_looks();
  for (int n = 0; n < 100; ++n) {
    fleet_.send_up(1, Bytes(40));
    fleet_.gcs().next_timeout();
  }
  std::vector<std::uint64_t> expected(GetParam());
  expected[1] = 100;
  EXPECT_EQ(new_looks(), expected);
  for (int n = 0; n < 100; ++n) {
    fleet_.send_down(1, Bytes(40));
    fleet_.gcs().next_timeout();
  }
  EXPECT_EQ(new_looks(), expected);
}

TEST_P(FleetOf, this_size_is_not_looked_at_when_one_drone_sends_control_frames)
{
  const auto keys = fleet_.stolen_keys(1);
  new_looks();
  for (int n = 0; n < 100; ++n) {
    fleet_.say(1, *keys, encode(ControlFrame{0, Keepalive{}}));
    fleet_.gcs().next_timeout();
  }
  const std::vector<std::uint64_t> found = new_looks();
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i], i == 1 ? 200u : 0u) << i << ": opened, and its next time-out computed";
  }
}

TEST_P(FleetOf, this_size_has_few_looks_at_a_quiet_drone)
{
  new_looks();
  fleet_.run_for(5s);
  for (const std::uint64_t found : new_looks()) {
    EXPECT_LE(found, 5u * 60u) << "a hundred steps a second look at nobody";
    EXPECT_GE(found, 5u);
  }
}

// How many of 300 recorded hellos are answered that come while the radio of the first drone is known to be full.
std::uint64_t answered_beside_a_full_radio(Fleet & fleet)
{
  Bytes hello;
  fleet.set_channel(0, [&hello](Side from, Bytes & bytes) {
    hello = from == Side::drone && is_hello(bytes) ? bytes : hello;
    return std::vector<Duration>{Duration{}};
  });
  EXPECT_TRUE(fleet.run_until([&] { return fleet.agreed(0); }, 20s));
  constexpr double bytes_per_s = 12'000;
  Instant free_at;
  fleet.set_channel(0, [&](Side from, Bytes & bytes) {
    free_at = std::max(free_at, fleet.now());
    if (from == Side::drone || free_at > fleet.now() + 1s) {
      return from == Side::drone ? std::vector<Duration>{Duration{}} : std::vector<Duration>{};
    }
    const std::chrono::duration<double> airtime(
      static_cast<double>(bytes.size() + 48) / bytes_per_s);
    free_at += std::chrono::duration_cast<Duration>(airtime);
    return std::vector<Duration>{free_at - fleet.now()};
  });
  fleet.run_for(15s);
  Endpoint from = WiredPair::stranger();
  std::uint64_t came = 0;
  for (int i = 0; i < 12'000 && came < 300; ++i) {
    fleet.send_down(0, Bytes(200));
    if (fleet.at_gcs(0).paths.at(0).rate_source == RateSource::saturation) {
      ++from.port;
      ++came;
      fleet.gcs().handle_datagram(hello, from, fleet.now());
    }
    fleet.run_for(10ms);
  }
  EXPECT_EQ(came, 300u);
  return came - fleet.gcs().strangers().repeated;
}

TEST(Hellos, are_answered_at_the_usual_rate_unless_the_full_radio_is_that_of_all_drones)
{
  Fleet one(1);
  Fleet two(2);
  EXPECT_LT(answered_beside_a_full_radio(one), 60u);
  EXPECT_GT(answered_beside_a_full_radio(two), 80u);
  EXPECT_TRUE(one.at_gcs(0).paths.at(0).load);
  EXPECT_FALSE(two.at_gcs(0).paths.at(0).load) << "a queue for one drone's rate delays the other";
}

}  // namespace
}  // namespace pqc_tunnel::test
