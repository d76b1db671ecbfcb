// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "engine/loop/hello_budget.hpp"

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

// How many hellos, each of which takes so long, are looked at until none is any more.
int allowed_in_a_row(HelloBudget & budget, Instant now, Duration each, bool is_live = true)
{
  int hellos = 0;
  while (hellos < 10'000 && budget.allows(now, is_live)) {
    budget.spend(is_live, each);
    ++hellos;
  }
  return hellos;
}

TEST(HelloBudget, is_a_twentieth_of_the_time_for_each_group_and_saved_up_for_10_ms)
{
  Instant now{1h};
  HelloBudget budget(now);
  for (const bool is_live : {true, false}) {
    EXPECT_EQ(allowed_in_a_row(budget, now, 10us, is_live), 1000);
  }
  now += 100ms;
  for (const bool is_live : {true, false}) {
    EXPECT_EQ(allowed_in_a_row(budget, now, 10us, is_live), 500);
  }
  now += 1h;
  EXPECT_EQ(allowed_in_a_row(budget, now, 10us), 1000);
}

TEST(HelloBudget, of_one_group_is_left_to_it_by_a_flood_in_the_other)
{
  for (const bool flooded : {true, false}) {
    Instant now{1h};
    HelloBudget budget(now);
    for (int i = 0; i < 1000; ++i, now += 1ms) {
      allowed_in_a_row(budget, now, 10us, flooded);
      EXPECT_TRUE(budget.allows(now, !flooded));
      budget.spend(!flooded, 10us);
    }
  }
}

TEST(HelloBudget, that_one_group_does_not_need_is_for_the_other)
{
  Instant now{1h};
  HelloBudget budget(now);
  EXPECT_EQ(allowed_in_a_row(budget, now, 10us, false), 1000);
  now += 50ms;
  EXPECT_EQ(allowed_in_a_row(budget, now, 10us, false), 500);
}

TEST(HelloBudget, is_not_spent_by_waiting_for_a_processor)
{
  Instant now{1h};
  HelloBudget budget(now);
  budget.spend(true, 50ms);
  EXPECT_GE(allowed_in_a_row(budget, now, 10us), 990);
}

}  // namespace
}  // namespace pqc_tunnel::test
