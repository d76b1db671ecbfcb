// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "protocol/tunnel/peer_budget.hpp"

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

// How much of a second of the thread a peer gets that always wants more, while each of `modest` others takes so much of a millisecond.
Duration taken_by_greedy(std::size_t modest, Duration of_each, int & refused)
{
  PeerBudget budget(modest + 1);
  Duration taken{};
  for (int i = 0; i < 1000; ++i) {
    budget.share(1ms);
    for (std::size_t peer = 1; peer <= modest; ++peer) {
      refused += budget.allows(peer) ? 0 : 1;
      budget.spend(peer, of_each);
    }
    for (int n = 0; n < 100 && budget.allows(0); ++n) {
      budget.spend(0, 10us);
      taken += 10us;
    }
  }
  return taken;
}

TEST(PeerBudget, gives_what_is_left_to_one_that_wants_more_and_refuses_no_modest_one)
{
  int refused = 0;
  EXPECT_GE(taken_by_greedy(1, 0us, refused), 800ms);
  EXPECT_GE(taken_by_greedy(249, 1us, refused), 500ms);
  EXPECT_GE(taken_by_greedy(3, 190us, refused), 200ms);
  EXPECT_LE(taken_by_greedy(3, 190us, refused), 260ms);
  EXPECT_EQ(refused, 0);
}

TEST(PeerBudget, parts_the_time_equally_among_those_that_want_too_much)
{
  PeerBudget budget(4);
  std::array<int, 4> frames = {};
  for (int i = 0; i < 1000; ++i) {
    budget.share(1ms);
    for (std::size_t peer = 0; peer < 4; ++peer) {
      for (int n = 0; n < 100 && budget.allows(peer); ++n, ++frames[peer]) {
        budget.spend(peer, 10us);
      }
    }
  }
  for (const int one : frames) {
    EXPECT_NEAR(one, frames[0], 10);
    EXPECT_LE(one, 20'000 + 1001);
  }
}

TEST(PeerBudget, refuses_a_single_peer_nothing)
{
  PeerBudget budget(1);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(budget.allows(0));
    budget.spend(0, 1s);
  }
}

TEST(PeerBudget, refuses_one_whose_credit_is_just_used_up)
{
  PeerBudget budget(2);
  budget.spend(0, 5ms - 1ns);
  EXPECT_TRUE(budget.allows(0));
  budget.spend(0, 1ns);
  EXPECT_FALSE(budget.allows(0));
}

TEST(PeerBudget, leaves_a_rest_that_cannot_be_parted)
{
  PeerBudget budget(3);
  for (std::size_t peer = 0; peer < 3; ++peer) {
    budget.spend(peer, 1s);
  }
  budget.share(1ms);
  for (std::size_t peer = 0; peer < 3; ++peer) {
    EXPECT_FALSE(budget.allows(peer));
  }
}

}  // namespace
}  // namespace pqc_tunnel::test
