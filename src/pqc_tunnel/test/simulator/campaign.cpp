// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "simulator/campaign.hpp"

namespace pqc_tunnel::test
{

CampaignResult run(const Campaign & campaign, const std::function<void(const Failure &)> & report)
{
  std::vector<const Suite *> suites;
  for (const std::string & id : campaign.suites) {
    suites.push_back(&suite(id));
  }
  CampaignResult result;
  for (std::uint64_t i = 0; i < campaign.schedules; ++i) {
    Schedule schedule(campaign.seed + i, campaign.steps, suites, campaign.given);
    const auto failure = schedule.run();
    result.account.add(schedule.account());
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
