// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "suite_list.hpp"

#include <string>

#include "crypto/suites/suite.hpp"

namespace pqc_tunnel
{

namespace
{

using pqc_msgs::msg::SuiteInfo;

std::string reason_against(const Suite & suite, const AlgorithmAvailability & availability)
{
  if (!availability.available) {
    return availability.reason;
  }
  return suite.experimental ? "Experimental suites are not allowed (allow_experimental)."
                            : "Not among the suites allowed (min_level, allowed_suites).";
}

SuiteInfo describe(const Suite & suite, const SuitePolicy & policy)
{
  const auto availability = registry().availability(suite);
  SuiteInfo info;
  info.id = suite.id;
  info.kem = display_name(suite.kem);
  info.signature = display_name(suite.signature);
  info.aead = display_name(suite.aead);
  info.level = static_cast<std::uint8_t>(suite.level);
  info.aead_key_bits = static_cast<std::uint16_t>(8 * key_size(suite.aead));
  info.tier = static_cast<std::uint8_t>(suite.tier);
  info.set = suite.set == SuiteSet::paper ? SuiteInfo::SET_PAPER : SuiteInfo::SET_EXTENDED;
  info.experimental = suite.experimental;
  info.available = availability.available;
  info.allowed = policy.allows(suite);
  if (!info.available || !info.allowed) {
    info.reason = reason_against(suite, availability);
  }
  return info;
}

}  // namespace

std::vector<SuiteInfo> suite_list(
  const SuitePolicy & policy, const std::vector<BlacklistEntry> & blacklist, const ClockPair & now)
{
  std::vector<SuiteInfo> list;
  for (const Suite & suite : registry().all()) {
    auto & info = list.emplace_back(describe(suite, policy));
    for (const auto & entry : blacklist) {
      if (entry.suite == &suite) {
        info.blacklisted_until = to_stamp(entry.expires, now);
      }
    }
  }
  return list;
}

}  // namespace pqc_tunnel
