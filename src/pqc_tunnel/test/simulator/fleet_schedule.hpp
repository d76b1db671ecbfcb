// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SIMULATOR__FLEET_SCHEDULE_HPP_
#define SIMULATOR__FLEET_SCHEDULE_HPP_

#include <cstdint>
#include <optional>
#include <vector>

#include "simulator/fleet_run.hpp"
#include "simulator/schedule.hpp"

namespace pqc_tunnel::test
{

// Two or three drones at one ground station, twice: once quiet, and once while one of them is hostile and somebody may be
// on its link. The others must get the same both times. The same seed and number of steps always give the same run.
class FleetSchedule
{
public:
  FleetSchedule(std::uint64_t seed, std::uint64_t steps);

  // Nothing if the others were not harmed.
  std::optional<Failure> run();
  const Account & account() const { return account_; }

private:
  void expect_unharmed(const FleetService & quiet, const FleetService & beside) const;
  void expect_datagrams(const FleetService & quiet, const FleetService & beside) const;
  void expect_rekeys(const FleetService & quiet, const FleetService & beside) const;
  void expect_events(const FleetService & quiet, const FleetService & beside) const;

  std::uint64_t seed_;
  SeededRandom dice_;
  FleetPlan plan_;
  std::vector<Attack> attacks_;
  bool with_adversary_;
  std::vector<std::string> described_;
  Account account_;
};

}  // namespace pqc_tunnel::test

#endif  // SIMULATOR__FLEET_SCHEDULE_HPP_
