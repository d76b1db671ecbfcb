// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "suite_objection.hpp"

#include <vector>

#include "base/nearest_name.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr std::size_t max_suite_id = 64;  // characters; longer than every id

std::string general_objection(const Suite & suite, const TunnelSettings & settings)
{
  const std::string id(suite.id);
  if (std::string problem = settings.suites.objection(suite); !problem.empty()) {
    return id + " is not allowed by the configuration: " + problem;
  }
  const auto availability = registry().availability(suite);
  return availability.available ? "" : id + " is not available: " + availability.reason;
}

}  // namespace

std::string suite_objection(
  const Suite & suite, const TunnelSettings & settings, const DroneIdentity & identity)
{
  const std::string id(suite.id);
  if (std::string general = general_objection(suite, settings); !general.empty()) {
    return general;
  }
  if (!identity.gcs_keys.contains(suite.signature)) {
    return "the identity holds no public key of the ground station for " + id;
  }
  if (settings.mode.drone_signature && !identity.signing_keys.contains(suite.signature)) {
    return "the identity holds no signing key of the drone for " + id;
  }
  return {};
}

std::string suite_objection(
  const Suite & suite, const TunnelSettings & settings, const GcsIdentity & identity, bool former)
{
  if (std::string general = general_objection(suite, settings); !general.empty()) {
    return general;
  }
  if (!(former ? identity.former_signing_keys : identity.signing_keys).contains(suite.signature)) {
    return "the identity holds no signing key for " + std::string(suite.id);
  }
  return {};
}

Result<const Suite *> find_suite(std::string_view id, const std::vector<const Suite *> & usable)
{
  if (const Suite * suite = registry().find(id)) {
    return suite;
  }
  // The nearest name takes time that grows with the text, on the packet thread.
  if (id.size() > max_suite_id) {
    return fail(
      ErrorCode::invalid_argument,
      "there is no suite with an id of " + std::to_string(id.size()) + " characters");
  }
  std::vector<std::string> names;
  names.reserve(usable.size());
  for (const Suite * suite : usable) {
    names.emplace_back(suite->id);
  }
  const std::string advice = names.empty() ? "" : "; did you mean " + nearest_name(id, names) + "?";
  return fail(
    ErrorCode::invalid_argument, "there is no suite \"" + std::string(id) + "\"" + advice);
}

Result<const Suite *> find_suite(std::string_view id)
{
  std::vector<const Suite *> usable;
  for (const Suite & suite : registry().all()) {
    if (!suite.experimental && registry().availability(suite).available) {
      usable.push_back(&suite);
    }
  }
  return find_suite(id, usable);
}

}  // namespace pqc_tunnel
