// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "engine/hello_budget.hpp"

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
    budget.spend(each);
    ++hellos;
  }
  return hellos;
}

TEST(HelloBudget, is_a_tenth_of_the_time_and_saved_up_for_20_ms)
{
  Instant now{1h};
  HelloBudget budget(now);
  EXPECT_EQ(allowed_in_a_row(budget, now, 10us), 2000);
  now += 100ms;
  EXPECT_EQ(allowed_in_a_row(budget, now, 10us), 1000);
  now += 1h;
  EXPECT_EQ(allowed_in_a_row(budget, now, 10us), 2000);
}

TEST(HelloBudget, keeps_half_of_what_is_saved_for_live_peers)
{
  Instant now{1h};
  HelloBudget budget(now);
  EXPECT_EQ(allowed_in_a_row(budget, now, 10us, false), 1000);
  EXPECT_EQ(allowed_in_a_row(budget, now, 10us, true), 1000);
  now += 100ms;
  EXPECT_EQ(allowed_in_a_row(budget, now, 10us, false), 0);
}

TEST(HelloBudget, is_not_spent_by_waiting_for_a_processor)
{
  Instant now{1h};
  HelloBudget budget(now);
  budget.spend(50ms);
  EXPECT_GE(allowed_in_a_row(budget, now, 10us), 1990);
}

}  // namespace
}  // namespace pqc_tunnel::test
