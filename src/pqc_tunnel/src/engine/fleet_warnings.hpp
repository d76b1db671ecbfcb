// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__ENGINE__FLEET_WARNINGS_HPP_
#define PQC_TUNNEL__ENGINE__FLEET_WARNINGS_HPP_

#include <cstddef>
#include <vector>

#include "pqc_tunnel/base/ids.hpp"
#include "pqc_tunnel/base/time.hpp"
#include "protocol/drone_notices.hpp"

namespace pqc_tunnel
{

// Whom the ground station warns when a drone reports an attack: each other drone, at most once in an interval, whoever
// reports how often. Sans-I/O.
class FleetWarnings
{
public:
  static constexpr Duration interval = std::chrono::seconds(10);

  explicit FleetWarnings(std::size_t drones) : next_(drones) {}

  // The drones to warn now.
  std::vector<PeerIndex> handle(PeerIndex from, const DecisionNotice & decision, Instant now);

private:
  std::vector<Instant> next_;  // not before; by PeerIndex
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__FLEET_WARNINGS_HPP_
