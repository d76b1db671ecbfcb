// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NODE__DIAGNOSIS__DIAGNOSIS_HPP_
#define PQC_TUNNEL__NODE__DIAGNOSIS__DIAGNOSIS_HPP_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "protocol/session/settings.hpp"
#include "protocol/session/snapshot.hpp"

namespace pqc_tunnel
{

struct Diagnosis
{
  enum class Level : std::uint8_t  // numbered as in diagnostic_msgs/DiagnosticStatus
  {
    ok = 0,
    warning = 1,
    error = 2,
  };

  Level level = Level::ok;
  std::string text;  // the most serious findings, a sentence each
  std::vector<std::pair<std::string, std::string>> values;
};

struct DiagnosisInput
{
  PeerSnapshot peer;
  PeerSnapshot before;  // at the last diagnosis, to detect changes
  Instant now;
  Duration max_key_age{};       // 0: keys have no age limit
  std::size_t blacklisted = 0;  // number of suites
  Role role = Role::drone;      // of this end
};

// Diagnoses the tunnel to one peer.
Diagnosis diagnose(const DiagnosisInput & input);

// Diagnoses the datagrams and hellos since the start that did not come from a known drone. `discarded`: hellos beyond
// their share of time.
Diagnosis diagnose_strangers(
  const TrafficCounters & unassigned, const StrangerCounters & hellos, std::uint64_t discarded = 0);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NODE__DIAGNOSIS__DIAGNOSIS_HPP_
