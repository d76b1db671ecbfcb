// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <set>

#include "command_line/words.hpp"
#include "config/profiles.hpp"
#include "crypto/components.hpp"
#include "end.hpp"
#include "identity/drone_folder.hpp"
#include "identity/identity_files.hpp"
#include "identity/match_identities.hpp"
#include "protocol/handshake/suite_objection.hpp"

namespace pqc_tunnel::cli
{

namespace
{

using Suites = std::vector<const Suite *>;

void add_unreadable(const EngineConfig & config, const Error & error, Findings & findings)
{
  const std::string folder = config.identity_dir.string();
  findings.add_problem(
    error.message, error.code == ErrorCode::permission ? "chmod -R u=rwX,go= " + folder
                                                       : "pqc identity inspect " + folder);
}

// Those that the parameters allow and that liboqs offers here.
Suites usable_suites(const EngineConfig & config)
{
  Suites suites;
  for (const Suite * suite : config.settings.suites.allowed()) {
    if (registry().availability(*suite).available) {
      suites.push_back(suite);
    }
  }
  return suites;
}

// A problem if there is a key for none of the suites, a note if there is none for some.
template <class Keys>
void check_keys(
  const Keys & keys, const Suites & suites, const std::string & kind, Findings & findings)
{
  std::set<SignatureAlgorithm> missing;
  std::size_t unusable = 0;
  for (const Suite * suite : suites) {
    if (!keys.contains(suite->signature)) {
      missing.insert(suite->signature);
      ++unusable;
    }
  }
  std::vector<std::string> names;
  names.reserve(missing.size());
  for (const SignatureAlgorithm algorithm : missing) {
    names.emplace_back(display_name(algorithm));
  }
  if (unusable > 0) {
    findings.add(
      unusable == suites.size() ? Weight::problem : Weight::note,
      "The identity holds no " + kind + " for " + join(names) + ": " + std::to_string(unusable) +
        " of " + std::to_string(suites.size()) + " allowed suites can't be used.");
  }
}

void check_drone(const EngineConfig & config, Findings & findings)
{
  const auto identity = load_drone_identity(config.identity_dir);
  if (!identity) {
    add_unreadable(config, identity.error(), findings);
    return;
  }
  const Suites suites = usable_suites(config);
  const Suite * const first = config.settings.initial_suite;
  if (std::ranges::find(suites, first) != suites.end()) {
    if (const auto objection = suite_objection(*first, config.settings, *identity);
        !objection.empty()) {
      findings.add_problem("Parameter suite: " + objection + ".");
    }
  }
  check_keys(identity->gcs_keys, suites, "public key of the ground station", findings);
  if (config.settings.anchor == AnchorUse::required && !identity->anchor) {
    findings.add_problem(
      "Parameter anchor is required, but the identity holds no key of the ground station's "
      "anchor.");
  }
  if (config.settings.mode.drone_signature) {
    check_keys(identity->signing_keys, suites, "signing key of the drone", findings);
  }
}

void check_record(const EngineConfig & config, const DroneRecord & record, Findings & findings)
{
  if (config.settings.anchor == AnchorUse::required && !record.anchor) {
    findings.add_problem(
      "Parameter anchor is required, but the identity holds no key of the anchor for " +
      record.name + ".");
  }
  if (config.settings.mode.drone_signature) {
    check_keys(record.drone_keys, usable_suites(config), "public key of " + record.name, findings);
  }
}

void check_gcs(const EngineConfig & config, Findings & findings)
{
  const auto identity = load_gcs_identity(config.identity_dir);
  if (!identity) {
    add_unreadable(config, identity.error(), findings);
    return;
  }
  check_keys(identity->signing_keys, usable_suites(config), "signing key", findings);
  const auto folder = load_drones(config.identity_dir, config.plaintext);
  if (!folder) {
    findings.add_problem(folder.error().message);
    return;
  }
  for (const UnusableDrone & drone : folder->unusable) {
    findings.add_problem(drone.problem.message);
  }
  for (const RegisteredDrone & drone : folder->drones) {
    check_record(config, drone.record, findings);
  }
  if (folder->drones.empty() && folder->unusable.empty()) {
    findings.add_warning("The identity holds no drone: add one by pqc identity add-drone.");
  }
}

}  // namespace

void check_profile(const EngineConfig & config, Findings & findings)
{
  if (config.profile != cnsa2) {
    return;
  }
  for (const Suite * suite : usable_suites(config)) {
    findings.add_note(
      "Profile cnsa2, " + std::string(suite->id) + ": " + validation_text(components(*suite)));
  }
  findings.add_note(
    "Profile cnsa2: challenges and the comparison of both configurations have SHA-256, on which "
    "neither keys nor data depend.");
}

void check_identity(const EngineConfig & config, Findings & findings)
{
  const bool is_drone = config.role == Role::drone;
  const auto & folder = config.identity_dir;
  if (folder.empty()) {
    return;  // a problem of the parameters
  }
  if (is_drone ? is_gcs_identity(folder) : is_drone_identity(folder)) {
    findings.add_problem(
      "The identity " + folder.string() + " is that of a " +
      (is_drone ? "ground station" : "drone") + ", but role is " + to_string(config.role) + ".");
  } else if (is_drone) {
    check_drone(config, findings);
  } else {
    check_gcs(config, findings);
  }
}

}  // namespace pqc_tunnel::cli
