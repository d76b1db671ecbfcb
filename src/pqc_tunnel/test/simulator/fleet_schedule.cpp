// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "simulator/fleet_schedule.hpp"

#include <algorithm>

#include "simulator/witnesses/violation.hpp"

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr const char * unharmed = "others unharmed";
// The thread finishes what it has begun: a frame that costs as much as any can, after all that was saved up.
constexpr Duration most_later = 60ms;
// A job that runs already, and one in front of each of the two that a key exchange takes at most.
constexpr int most_jobs_between = 3;
constexpr double burst_of_events = 32;  // of one kind, and one a second after that

}  // namespace

FleetSchedule::FleetSchedule(std::uint64_t seed, std::uint64_t steps)
: seed_(seed), dice_(seed), plan_(FleetPlan::draw(seed, steps * step_time, dice_))
{
  for (auto left = 2 + static_cast<int>(5 * dice_.uniform()); left > 0; --left) {
    attacks_.push_back(Attack::draw(plan_.storm, dice_));
    described_.push_back(attacks_.back().describe());
  }
  with_adversary_ = dice_.uniform() < 0.5;
}

std::optional<Failure> FleetSchedule::run()
{
  account_ = {.schedules = 1, .steps = static_cast<std::uint64_t>(plan_.storm / step_time)};
  try {
    const FleetService quiet = FleetRun(plan_).run({});
    FleetRun run(plan_);
    if (with_adversary_) {
      run.use_adversary(dice_);
      const auto rules = run.describe_adversary();
      described_.insert(described_.end(), rules.begin(), rules.end());
    }
    const FleetService beside = run.run(attacks_);
    account_.simulated = quiet.time + beside.time;
    account_.datagrams = beside.datagrams.size();
    account_.rekeys = beside.rekeys.size();
    account_.taken = run.taken();
    account_.hostile = run.opened_of_hostile();
    for (const auto & [which, took] : beside.datagrams) {
      account_.fingerprint = account_.fingerprint * 31 + static_cast<std::uint64_t>(took.count());
    }
    expect_unharmed(quiet, beside);
  } catch (const Violation & violation) {
    return Failure{seed_, violation.invariant(), violation.what(), described_};
  } catch (const std::exception & fault) {
    return Failure{seed_, "no end spins or fails", fault.what(), described_};
  }
  return std::nullopt;
}

void FleetSchedule::expect_unharmed(const FleetService & quiet, const FleetService & beside) const
{
  expect_datagrams(quiet, beside);
  expect_rekeys(quiet, beside);
  expect_events(quiet, beside);
}

void FleetSchedule::expect_datagrams(const FleetService & quiet, const FleetService & beside) const
{
  for (const auto & [which, took] : quiet.datagrams) {
    const auto & [drone, to, number] = which;
    const std::string name = (to == Side::gcs ? "telemetry " : "command ") +
                             std::to_string(number) + " of drone " + std::to_string(drone);
    const auto arrived = beside.datagrams.find(which);
    if (arrived == beside.datagrams.end()) {
      throw Violation(unharmed, name + " is lost beside a hostile drone");
    }
    if (arrived->second > took + most_later) {
      throw Violation(
        unharmed, name + " is " + std::to_string((arrived->second - took) / 1ms) +
                    " ms late beside a hostile drone");
    }
  }
}

void FleetSchedule::expect_rekeys(const FleetService & quiet, const FleetService & beside) const
{
  for (const auto & [place, took] : quiet.rekeys) {
    const auto done = beside.rekeys.find(place);
    if (
      done == beside.rekeys.end() ||
      done->second > took + most_jobs_between * plan_.job_time + 2 * most_later)
    {
      throw Violation(
        unharmed, "the keys of drone " + std::to_string(plan_.requests[place].drone) +
                    " are not renewed in time beside a hostile drone");
    }
  }
}

// Of what the hostile drone causes, the operator sees a few of each kind.
void FleetSchedule::expect_events(const FleetService & quiet, const FleetService & beside) const
{
  const auto seconds = std::chrono::duration<double>(beside.time).count();
  for (const auto & [which, count] : beside.events) {
    if (static_cast<double>(count) > burst_of_events + seconds + 1) {
      throw Violation(
        unharmed, std::string("a hostile drone fills the log with events \"") +
                    to_string(which.second) + "\"");
    }
  }
  for (const auto & [which, count] : quiet.events) {
    const auto & [drone, kind] = which;
    const auto seen = beside.events.find(which);
    if (drone != plan_.hostile && (seen == beside.events.end() || seen->second < count)) {
      throw Violation(
        unharmed, std::string("an event \"") + to_string(kind) + "\" of drone " +
                    std::to_string(drone) + " is not shown beside a hostile drone");
    }
  }
}

}  // namespace pqc_tunnel::test
