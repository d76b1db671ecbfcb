// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__DRONE__FETCH_COSTS_HPP_
#define PQC_TUNNEL__PROTOCOL__DRONE__FETCH_COSTS_HPP_

#include <optional>
#include <vector>

#include "crypto/suites/suite.hpp"
#include "link/paths/link_settings.hpp"
#include "protocol/session/settings.hpp"
#include "protocol/session/snapshot.hpp"

namespace pqc_tunnel
{

// Returns a suite for each KEM of `usable`, as much like `active`, the one in use, as there is.
std::vector<const Suite *> suites_by_kem(
  const Suite & active, const std::vector<const Suite *> & usable);

// Returns what the key of each suite and a rekey to it cost on the link, without what the drone has of them. `rate`: of the
// link, bytes per second; none: unknown. `airtime`: the share of it for fetches.
std::vector<KemFetch> fetch_costs(
  const std::vector<const Suite *> & suites, HandshakeMode mode, const LinkSettings & link,
  std::optional<double> rate, double airtime);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__DRONE__FETCH_COSTS_HPP_
