// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "simulator/campaign.hpp"

#include "simulator/fleet_schedule.hpp"

namespace pqc_tunnel::test
{

namespace
{

template <class Kind>
std::optional<Failure> run_one(Kind schedule, Account & account)
{
  auto failure = schedule.run();
  account.add(schedule.account());
  return failure;
}

}  // namespace

CampaignResult run(const Campaign & campaign, const std::function<void(const Failure &)> & report)
{
  std::vector<const Suite *> suites;
  for (const std::string & id : campaign.suites) {
    suites.push_back(&suite(id));
  }
  CampaignResult result;
  for (std::uint64_t i = 0; i < campaign.schedules; ++i) {
    const std::uint64_t seed = campaign.seed + i;
    const auto failure =
      campaign.given.fleet
        ? run_one(FleetSchedule(seed, campaign.steps), result.account)
        : run_one(Schedule(seed, campaign.steps, suites, campaign.given), result.account);
    if (!failure) {
      continue;
    }
    result.failures.push_back(*failure);
    if (report) {
      report(*failure);
    }
    if (campaign.stop_at_failure) {
      break;
    }
  }
  return result;
}

}  // namespace pqc_tunnel::test
