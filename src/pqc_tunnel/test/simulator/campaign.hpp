// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SIMULATOR__CAMPAIGN_HPP_
#define SIMULATOR__CAMPAIGN_HPP_

#include <functional>
#include <string>
#include <vector>

#include "simulator/schedule.hpp"

namespace pqc_tunnel::test
{

// Schedules of consecutive seeds.
struct Campaign
{
  std::uint64_t schedules = 1;
  std::uint64_t seed = 1;
  std::uint64_t steps = 300;  // of 100 ms, each schedule's storm
  std::vector<std::string> suites = {
    "cs-mlkem512-aesgcm-mldsa44", "cs-mlkem512-chacha20poly1305-falcon512",
    "cs-mlkem768-ascon128a-mldsa65", "cs-mlkem1024-asconaead128-mldsa87"};
  Circumstances given = {};  // in every schedule
  bool stop_at_failure = false;
};

struct CampaignResult
{
  Account account;
  std::vector<Failure> failures;
};

// Calls `report` with each failure as soon as it is found.
CampaignResult run(
  const Campaign & campaign, const std::function<void(const Failure &)> & report = nullptr);

}  // namespace pqc_tunnel::test

#endif  // SIMULATOR__CAMPAIGN_HPP_
