// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "simulator/campaign.hpp"

// A fixed number of schedules; `./dev bench simulate` runs any number. A failure prints the command that repeats it.

namespace pqc_tunnel::test
{
namespace
{

TEST(SimulatedSchedules, keep_every_invariant)
{
  const CampaignResult result =
    run({.schedules = PQC_TUNNEL_SIMULATED_SCHEDULES}, [](const Failure & failure) {
      for (const std::string & line : failure.events) {
        std::cout << line << '\n';
      }
      ADD_FAILURE() << failure.invariant << ": " << failure.text
                    << " (pqc_simulate --schedules 1 --seed " << failure.seed << ")";
    });
  const Account & account = result.account;
  EXPECT_EQ(account.schedules, PQC_TUNNEL_SIMULATED_SCHEDULES);
  // They are not too harmless, nor too harsh for anything to happen.
  EXPECT_GT(account.rekeys, 5 * account.schedules);
  EXPECT_GT(account.failed_rekeys, account.schedules / 4);
  EXPECT_GT(account.crashes, account.schedules / 2);
  EXPECT_GT(account.silences, account.schedules / 4);
}

TEST(SimulatedSchedules, with_two_links_of_which_one_is_cut_keep_every_invariant)
{
  const CampaignResult result = run({.schedules = 5, .seed = 500, .given = {.two_links = true}});
  for (const Failure & failure : result.failures) {
    ADD_FAILURE() << failure.invariant << ": " << failure.text
                  << " (pqc_simulate --schedules 1 --links 2 --seed " << failure.seed << ")";
  }
  EXPECT_GT(result.account.cuts, 5 * result.account.schedules);
}

TEST(SimulatedSchedules, with_somebody_who_owns_the_network_keep_every_invariant)
{
  const CampaignResult result =
    run({.schedules = PQC_TUNNEL_HOSTILE_SCHEDULES, .seed = 700, .given = {.adversary = true}});
  for (const Failure & failure : result.failures) {
    ADD_FAILURE() << failure.invariant << ": " << failure.text
                  << " (pqc_simulate --schedules 1 --adversary --seed " << failure.seed << ")";
  }
  EXPECT_GT(result.account.taken, 200 * result.account.schedules);
  EXPECT_GT(result.account.rekeys, 5 * result.account.schedules);
}

TEST(SimulatedSchedules, beside_a_hostile_drone_leave_the_others_unharmed)
{
  const CampaignResult result = run(
    {.schedules = PQC_TUNNEL_FLEET_SCHEDULES, .seed = 900, .steps = 100, .given = {.fleet = true}});
  for (const Failure & failure : result.failures) {
    ADD_FAILURE() << failure.invariant << ": " << failure.text
                  << " (pqc_simulate --schedules 1 --steps 100 --fleet --seed " << failure.seed
                  << ")";
  }
  EXPECT_GT(result.account.hostile, 1000 * result.account.schedules);
  EXPECT_GT(result.account.rekeys, 4 * result.account.schedules);
}

TEST(SimulatedSchedules, are_the_same_for_the_same_seed_and_no_other)
{
  for (const bool fleet : {false, true}) {
    const auto fingerprint = [fleet](std::uint64_t seed) {
      return run({.schedules = 1, .seed = seed, .given = {.fleet = fleet}}).account.fingerprint;
    };
    EXPECT_EQ(fingerprint(7), fingerprint(7));
    EXPECT_NE(fingerprint(7), fingerprint(8));
  }
}

}  // namespace
}  // namespace pqc_tunnel::test
