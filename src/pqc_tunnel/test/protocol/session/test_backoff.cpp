// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "protocol/peer/event_budget.hpp"
#include "protocol/session/backoff.hpp"
#include "support/identities.hpp"

// How often something is tried again, or reported.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

TEST(Backoff, stays_the_same_for_some_tries_and_doubles_up_to_its_limit)
{
  SeededRandom random(1);
  Backoff backoff(100ms, 500ms, 3);
  for (int i = 0; i < 2; ++i) {
    for (const Duration expected : {100ms, 100ms, 100ms, 200ms, 400ms, 500ms, 500ms}) {
      const Duration wait = backoff.next(random);
      EXPECT_GE(wait, expected * 4 / 5);
      EXPECT_LE(wait, expected * 6 / 5);
    }
    backoff.reset();
  }
}

TEST(EventBudget, lets_five_events_pass_and_counts_the_others)
{
  EventBudget budget;
  const Instant now{1h};
  for (unsigned i = 0; i < EventBudget::burst; ++i) {
    EXPECT_EQ(budget.take(now), "");
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(budget.take(now), std::nullopt);
  }
  EXPECT_EQ(budget.take(now + EventBudget::each), " (and 3 before it)");
  EXPECT_EQ(budget.take(now + 2 * EventBudget::each), "");
}

}  // namespace
}  // namespace pqc_tunnel::test
