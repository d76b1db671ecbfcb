// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "engine/ground_addresses.hpp"
#include "pqc_tunnel/net/address.hpp"
#include "pqc_tunnel/net/sockets.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr ConnectionId first{1};
constexpr ConnectionId second{2};

Endpoint endpoint(const std::string & host) { return resolve({host, 46011})->front(); }

const Endpoint v4 = endpoint("192.0.2.1");
const Endpoint other_v4 = endpoint("192.0.2.2");
const Endpoint v6 = endpoint("2001:db8::1");

Result<std::vector<Endpoint>> no_answer()
{
  return fail(ErrorCode::unavailable, "The host name \"gcs\" doesn't resolve (timed out).");
}

TEST(GroundAddresses, are_tried_in_the_order_of_the_name_server)
{
  GroundAddresses ground(SocketFamily::both);
  ground.wait_for_name(first);
  const auto candidates = ground.handle_answer(std::vector{v6, v4});
  ASSERT_TRUE(candidates);
  EXPECT_EQ(candidates->connection, first);
  EXPECT_EQ(*candidates->endpoints, (std::vector{v6, v4}));
}

TEST(GroundAddresses, an_address_that_has_answered_is_tried_first)
{
  GroundAddresses ground(SocketFamily::both);
  EXPECT_TRUE(ground.note_answered(v4));
  EXPECT_FALSE(ground.note_answered(v4));
  ground.wait_for_name(second);
  const auto candidates = ground.handle_answer(std::vector{v6, other_v4, v4});
  EXPECT_EQ(*candidates->endpoints, (std::vector{v4, v6, other_v4}));
}

TEST(GroundAddresses, a_host_that_has_moved_is_not_looked_for_where_it_was)
{
  GroundAddresses ground(SocketFamily::both);
  ground.note_answered(v4);
  ground.wait_for_name(second);
  EXPECT_EQ(*ground.handle_answer(std::vector{other_v4})->endpoints, std::vector{other_v4});
}

TEST(GroundAddresses, an_address_that_has_answered_is_used_while_the_name_server_is_silent)
{
  GroundAddresses ground(SocketFamily::both);
  ground.wait_for_name(first);
  EXPECT_FALSE(ground.handle_answer(no_answer())->endpoints);
  ground.note_answered(v4);
  ground.wait_for_name(second);
  EXPECT_EQ(*ground.handle_answer(no_answer())->endpoints, std::vector{v4});
}

TEST(GroundAddresses, a_late_answer_serves_the_current_request)
{
  GroundAddresses ground(SocketFamily::both);
  ground.wait_for_name(first);
  ground.give_up(first);
  EXPECT_FALSE(ground.handle_answer(std::vector{v4}));  // no request waits
  ground.wait_for_name(first);
  ground.wait_for_name(second);
  ground.give_up(first);
  EXPECT_EQ(ground.handle_answer(std::vector{v4})->connection, second);
  EXPECT_FALSE(ground.handle_answer(std::vector{v4}));
}

TEST(GroundAddresses, that_the_socket_cannot_reach_are_left_out)
{
  EXPECT_EQ(reachable_from({v6, v4}, SocketFamily::ipv4), std::vector{v4});
  EXPECT_EQ(reachable_from({v6, v4}, SocketFamily::ipv6), std::vector{v6});
  EXPECT_EQ(reachable_from({v6, v4}, SocketFamily::both), (std::vector{v6, v4}));
  GroundAddresses ground(SocketFamily::ipv6);
  ground.wait_for_name(first);
  const auto candidates = ground.handle_answer(std::vector{v4});
  ASSERT_FALSE(candidates->endpoints);
  EXPECT_NE(candidates->endpoints.error().message.find("bind_address"), std::string::npos);
}

TEST(Sockets, know_which_addresses_they_reach)
{
  EXPECT_EQ(open_datagram_socket({"127.0.0.1", 0}, 65536, "a test")->family, SocketFamily::ipv4);
  if (const auto v6_only = open_datagram_socket({"::1", 0}, 65536, "a test")) {
    EXPECT_EQ(v6_only->family, SocketFamily::ipv6);
    EXPECT_EQ(open_datagram_socket({"", 0}, 65536, "a test")->family, SocketFamily::both);
  }
}

}  // namespace
}  // namespace pqc_tunnel
