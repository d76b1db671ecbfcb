// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "support/pair/fleet.hpp"
#include "support/pair/traffic.hpp"

// A ground station whose drones change while it runs.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

class ChangingFleet : public testing::Test
{
protected:
  // A datagram each way every millisecond for these drones.
  void send_for(Duration duration, const std::vector<std::size_t> & drones)
  {
    for (const Instant end = fleet_.now() + duration; fleet_.now() < end;) {
      for (const std::size_t i : drones) {
        fleet_.send_up(i, numbered(sent_, 20));
        fleet_.send_down(i, numbered(sent_, 30));
      }
      ++sent_;
      fleet_.run_for(1ms);
    }
  }
  void expect_nothing_lost(const std::vector<std::size_t> & drones)
  {
    for (const std::size_t i : drones) {
      EXPECT_EQ(fleet_.received_from(i).size(), sent_) << i;
      EXPECT_EQ(fleet_.heard_by(i).size(), sent_) << i;
    }
  }
  bool connects(std::size_t i)
  {
    return fleet_.run_until([&] { return fleet_.agreed(i); }, 10s);
  }
  bool has_keys(std::size_t i) { return fleet_.at_gcs(i).suite != nullptr; }
  DroneRecord with_other_psk(std::size_t i)
  {
    DroneRecord record = fleet_.record(i);
    record.psk = Psk(std::array<std::uint8_t, 32>{7});
    return record;
  }

  Fleet fleet_{4, 0, {}, 3, 3};
  std::uint32_t sent_ = 0;
};

TEST_F(ChangingFleet, loses_the_session_of_a_removed_drone_at_once_and_nothing_of_the_others)
{
  ASSERT_TRUE(connects(0) && connects(1) && connects(2));
  const auto sessions = std::pair(fleet_.at_gcs(0).session, fleet_.at_gcs(2).session);
  send_for(50ms, {0, 2});
  fleet_.serve(1, std::nullopt);
  EXPECT_FALSE(has_keys(1));
  EXPECT_FALSE(is_encrypted(fleet_.at_drone(1)));  // the ground station told it
  send_for(20s, {0, 2});
  EXPECT_FALSE(has_keys(1));
  EXPECT_FALSE(is_encrypted(fleet_.at_drone(1)));
  EXPECT_FALSE(fleet_.send_down(1, numbered(0, 20)));
  expect_nothing_lost({0, 2});
  EXPECT_EQ(std::pair(fleet_.at_gcs(0).session, fleet_.at_gcs(2).session), sessions);
}

TEST_F(ChangingFleet, puts_a_removed_drone_out_even_if_it_hears_nothing_of_that)
{
  ASSERT_TRUE(connects(1));
  fleet_.set_channel(1, [](Side from, Bytes &) {
    return from == Side::gcs ? std::vector<Duration>() : std::vector<Duration>{{}};
  });
  const auto received = fleet_.received_from(1).size();
  fleet_.serve(1, std::nullopt);
  fleet_.send_up(1, numbered(0, 20));
  fleet_.run_for(1s);
  EXPECT_EQ(fleet_.received_from(1).size(), received);
}

TEST_F(ChangingFleet, ends_the_attempt_of_a_removed_drone_at_a_session)
{
  Fleet fleet(1, 0, 100ms);
  ASSERT_TRUE(fleet.run_until([&] { return fleet.at_gcs(0).state == PeerState::handshaking; }, 5s));
  fleet.serve(0, std::nullopt);
  fleet.run_for(10s);
  EXPECT_EQ(fleet.at_gcs(0).suite, nullptr);
  EXPECT_FALSE(is_encrypted(fleet.at_drone(0)));
}

TEST_F(ChangingFleet, serves_a_new_drone_beside_the_traffic_of_the_others)
{
  ASSERT_TRUE(connects(0) && connects(1) && connects(2));
  EXPECT_FALSE(fleet_.agreed(0) && is_encrypted(fleet_.at_drone(3)));
  send_for(50ms, {0, 1, 2});
  fleet_.serve(3, fleet_.record(3));
  send_for(6s, {0, 1, 2});
  EXPECT_TRUE(fleet_.agreed(3));
  expect_nothing_lost({0, 1, 2});
  fleet_.send_up(3, numbered(0, 20));
  EXPECT_EQ(fleet_.received_from(3).size(), 1u);
}

TEST_F(ChangingFleet, serves_a_drone_again_that_was_removed)
{
  ASSERT_TRUE(connects(1));
  fleet_.serve(1, std::nullopt);
  fleet_.run_for(1s);
  fleet_.serve(1, fleet_.record(1));
  EXPECT_TRUE(connects(1));
}

TEST_F(ChangingFleet, leaves_a_session_alone_whose_drone_has_the_same_keys_as_before)
{
  ASSERT_TRUE(connects(1));
  const SessionId session = fleet_.at_gcs(1).session;
  send_for(50ms, {1});
  fleet_.serve(1, fleet_.record(1));
  send_for(5s, {1});
  EXPECT_EQ(fleet_.at_gcs(1).session, session);
  expect_nothing_lost({1});
  std::vector<RekeyReply> replies;
  fleet_.watch_replies([&](const RekeyReply & reply) { replies.push_back(reply); });
  fleet_.drone(1).request_rekey(rekey_to(nullptr), fleet_.now());
  fleet_.run_for(1s);
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_TRUE(replies[0].success) << replies[0].message;
}

TEST_F(ChangingFleet, ends_the_session_of_a_drone_whose_psk_was_replaced)
{
  ASSERT_TRUE(connects(0) && connects(1));
  send_for(50ms, {0});
  fleet_.serve(1, with_other_psk(1));
  EXPECT_FALSE(has_keys(1));
  send_for(10s, {0});
  EXPECT_FALSE(has_keys(1));
  EXPECT_GT(fleet_.gcs().strangers().wrong_key, 0u);
  expect_nothing_lost({0});
  fleet_.serve(1, fleet_.record(1));
  EXPECT_TRUE(connects(1));
}

TEST_F(ChangingFleet, may_begin_with_no_drone_and_end_with_none)
{
  Fleet fleet(1, 0, {}, 3, 0);
  fleet.run_for(1s);
  EXPECT_EQ(fleet.gcs().next_timeout(), fleet.gcs().next_timeout());
  fleet.serve(0, fleet.record(0));
  EXPECT_TRUE(fleet.run_until([&] { return fleet.agreed(0); }, 10s));
  fleet.serve(0, std::nullopt);
  fleet.run_for(1s);
  EXPECT_FALSE(is_encrypted(fleet.at_drone(0)));
}

TEST_F(ChangingFleet, ignores_a_change_of_a_drone_that_cant_be)
{
  fleet_.serve(9, fleet_.record(3));  // not the next index
  fleet_.serve(3, std::nullopt);      // never served
  fleet_.gcs().handle_change(GcsAddresses{{}}, fleet_.now());
  fleet_.drone(0).handle_change(DroneChange{PeerIndex{1}, fleet_.record(1)}, fleet_.now());
  EXPECT_TRUE(connects(0));
}

}  // namespace
}  // namespace pqc_tunnel::test
