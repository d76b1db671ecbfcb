// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "fleet_warnings.hpp"

namespace pqc_tunnel
{

std::vector<PeerIndex> FleetWarnings::handle(
  PeerIndex from, const DecisionNotice & decision, Instant now)
{
  std::vector<PeerIndex> warned;
  if (decision.verdict != DecisionNotice::verdict_attack) {
    return warned;
  }
  for (std::size_t i = 0; i < next_.size(); ++i) {
    const PeerIndex drone{static_cast<std::uint32_t>(i)};
    if (drone != from && now >= next_[i]) {
      next_[i] = now + interval;
      warned.push_back(drone);
    }
  }
  return warned;
}

}  // namespace pqc_tunnel
