// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <set>
#include <utility>

#include "base/nearest_name.hpp"
#include "crypto/suites/suite.hpp"
#include "end.hpp"
#include "identity/identity_files.hpp"
#include "identity/match_identities.hpp"

namespace pqc_tunnel::cli
{

namespace
{

// A value as shown; lists in a fixed order, because theirs does not matter.
std::string value_text(const End & end, const std::string & name)
{
  ParameterValue value = end.values.at(name);
  if (auto * const list = std::get_if<std::vector<std::string>>(&value)) {
    std::ranges::sort(*list);
  }
  return to_text(value);
}

void expect_equal(
  const End & drone, const std::string & of_drone, const End & gcs, const std::string & of_gcs,
  Findings & findings)
{
  const std::string here = value_text(drone, of_drone);
  const std::string there = value_text(gcs, of_gcs);
  if (here != there) {
    findings.add_problem(
      of_drone + " is " + here + " on the drone, but " +
      (of_gcs == of_drone ? "" : of_gcs + " is ") + there + " on the ground station.");
  }
}

// The lowest level that is used: as given, or that of the suite.
std::string floor_of(const End & end)
{
  if (std::get<std::int64_t>(end.values.at("min_level")) != 0) {
    return value_text(end, "min_level");
  }
  const Suite * const suite = registry().find(value_text(end, "suite"));
  return suite == nullptr ? "unknown" : std::to_string(static_cast<int>(suite->level));
}

std::string described_floor(const End & end)
{
  const bool of_suite = std::get<std::int64_t>(end.values.at("min_level")) == 0;
  return floor_of(end) + (of_suite ? " (the level of suite " + value_text(end, "suite") + ")" : "");
}

void expect_equal_floors(const End & drone, const End & gcs, Findings & findings)
{
  if (floor_of(drone) != floor_of(gcs)) {
    findings.add_problem(
      "min_level is " + described_floor(drone) + " on the drone, but " + described_floor(gcs) +
      " on the ground station.");
  }
}

// Both folders of keys can be on this machine, as for a rehearsal.
void compare_identities(const End & drone, const End & gcs, Findings & findings)
{
  const auto & of_drone = drone.config.identity_dir;
  const auto & of_gcs = gcs.config.identity_dir;
  if (is_drone_identity(of_drone) && is_gcs_identity(of_gcs)) {
    if (const auto differences = match_identities(of_drone, of_gcs)) {
      for (const std::string & difference : *differences) {
        findings.add_problem(difference);
      }
    }
    if (std::string left = one_time_keys_left(of_drone, of_gcs); !left.empty()) {
      findings.add_note(std::move(left));
    }
  }
  const auto identity = load_drone_identity(of_drone);
  if (!identity) {
    return;  // on the drone
  }
  std::vector<std::string> names;
  for (const auto & one : gcs.plaintexts) {
    names.push_back(one.name);
  }
  if (is_gcs_identity(of_gcs) && std::ranges::find(names, identity->name) == names.end()) {
    findings.add_problem(
      "The drone's keys are of " + identity->name +
      ", of which the ground station's identity has no record that it can use" +
      suggestion(identity->name, names));
  }
}

}  // namespace

void compare_ends(const End & one, const End & other, Findings & findings)
{
  if (one.config.role == other.config.role) {
    findings.add_problem(
      "Both files are of a " + std::string(to_string(one.config.role)) +
      ": compare a drone with a ground station.");
    return;
  }
  const End & drone = one.config.role == Role::drone ? one : other;
  const End & gcs = one.config.role == Role::drone ? other : one;
  const auto policy = [](const TunnelSettings & settings) {
    return settings.suites.hash(settings.mode);
  };
  const bool differs = policy(drone.config.settings) != policy(gcs.config.settings);
  if (differs && drone.config.profile != gcs.config.profile) {
    expect_equal(drone, "profile", gcs, "profile", findings);  // most of what follows differs, too
  } else if (differs) {
    expect_equal_floors(drone, gcs, findings);
    for (const char * name :
         {"allowed_suites", "allow_experimental", "hybrid_x25519", "drone_signature"})
    {
      expect_equal(drone, name, gcs, name, findings);
    }
  }
  expect_equal(drone, "gcs_datagram_port", gcs, "datagram_port", findings);
  expect_equal(drone, "link_mtu_bytes", gcs, "link_mtu_bytes", findings);
  compare_identities(drone, gcs, findings);
}

}  // namespace pqc_tunnel::cli
