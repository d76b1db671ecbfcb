// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__LINK_EMULATOR__OUTAGES_HPP_
#define PQC_TOOLS__LINK_EMULATOR__OUTAGES_HPP_

#include <optional>
#include <vector>

#include "settings.hpp"

namespace pqc_tunnel::link_emulator
{

// Windows of time in which nothing passes. A window contains its start, not its end.
class Outages
{
public:
  Outages(std::vector<Outage> windows, Instant start);

  // Returns the end of the outage that contains `now`, across adjacent windows; nothing while the link is up.
  std::optional<Instant> end(Instant now) const;

private:
  std::optional<Instant> end_of_one(Instant now) const;

  std::vector<Outage> windows_;
  Instant start_;
};

}  // namespace pqc_tunnel::link_emulator

#endif  // PQC_TOOLS__LINK_EMULATOR__OUTAGES_HPP_
