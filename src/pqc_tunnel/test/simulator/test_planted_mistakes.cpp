// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "simulator/campaign.hpp"
#include "simulator/mistakes.hpp"

// The simulator must find mistakes.

namespace pqc_tunnel::test
{
namespace
{

// They harm others, and need some.
constexpr std::array mistakes_of_fleets = {
  "drones_share_no_time", "events_unlimited", "events_limited_together"};

Campaign few_schedules(std::string_view mistake = "")
{
  Campaign campaign;
  campaign.schedules = 128;  // the last epoch is reached in one of a hundred
  campaign.seed = 300;
  campaign.stop_at_failure = true;
  if (std::ranges::find(mistakes_of_fleets, mistake) != mistakes_of_fleets.end()) {
    campaign.steps = 100;
    campaign.given.fleet = true;
  }
  return campaign;
}

class PlantedMistake : public testing::TestWithParam<std::string_view>
{
protected:
  ~PlantedMistake() override { plant(""); }
};

TEST_P(PlantedMistake, is_found_within_a_few_schedules_and_again_from_its_seed_alone)
{
  ASSERT_TRUE(plant(GetParam()));
  Campaign campaign = few_schedules(GetParam());
  const CampaignResult result = run(campaign);
  ASSERT_EQ(result.failures.size(), 1u);
  const Failure & failure = result.failures.front();
  std::cout << "found in schedule " << result.account.schedules << ": " << failure.invariant
            << '\n';
  campaign.schedules = 1;
  campaign.seed = failure.seed;
  const CampaignResult again = run(campaign);
  ASSERT_EQ(again.failures.size(), 1u);
  EXPECT_EQ(again.failures.front().text, failure.text);
  EXPECT_EQ(again.failures.front().events, failure.events);
}

INSTANTIATE_TEST_SUITE_P(
  Simulator, PlantedMistake, testing::ValuesIn(mistakes()),
  [](const auto & name) { return std::string(name.param); });

// The witness of an invariant must be the one that finds a breach of it.
TEST(PlantedMistakes, are_found_by_their_witness_beside_somebody_who_owns_the_network)
{
  for (const auto & [mistake, invariant] :
       {std::pair("any_frame_is_life", "keys end"), std::pair("keys_never_wiped", "keys end"),
        std::pair("timeout_blacklists", "no blame"),
        std::pair("unproved_address_unlimited", "bytes to unproven addresses")})
  {
    ASSERT_TRUE(plant(mistake));
    Campaign campaign = few_schedules();
    campaign.given.adversary = true;
    const CampaignResult result = run(campaign);
    plant("");
    ASSERT_EQ(result.failures.size(), 1u) << mistake;
    EXPECT_EQ(result.failures.front().invariant, invariant) << mistake;
  }
}

TEST(PlantedMistakes, that_harm_others_are_found_by_the_witness_of_that)
{
  for (const std::string_view mistake : mistakes_of_fleets) {
    ASSERT_TRUE(plant(mistake));
    const CampaignResult result = run(few_schedules(mistake));
    plant("");
    ASSERT_EQ(result.failures.size(), 1u) << mistake;
    EXPECT_EQ(result.failures.front().invariant, "others unharmed") << mistake;
  }
}

TEST(PlantedMistakes, are_not_found_in_correct_code)
{
  ASSERT_TRUE(plant(""));
  for (const std::string_view mistake : {"", mistakes_of_fleets.front()}) {
    Campaign campaign = few_schedules(mistake);
    campaign.schedules = 10;
    EXPECT_TRUE(run(campaign).failures.empty());
  }
}

}  // namespace
}  // namespace pqc_tunnel::test
