// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <numeric>

#include "support/pair/wired_pair.hpp"

namespace pqc_tunnel::test
{

std::size_t WiredPair::count(Side side, EventKind kind) const
{
  const auto found = events_.find(side);
  return found == events_.end()
           ? 0
           : static_cast<std::size_t>(std::ranges::count(found->second, kind, &Event::kind));
}

bool WiredPair::reported(Side side, EventKind kind, std::string_view words) const
{
  const auto found = events_.find(side);
  return found != events_.end() && std::ranges::any_of(found->second, [&](const Event & event) {
           return event.kind == kind && event.text.find(words) != std::string::npos;
         });
}

std::uint64_t WiredPair::drops(Side side, Drop drop)
{
  const auto index = static_cast<std::size_t>(drop);
  return snapshot(side).traffic.drops[index] + end(side).strangers().unassigned.drops[index];
}

std::uint64_t WiredPair::drops(Side side)
{
  const auto & of_peer = snapshot(side).traffic.drops;
  const auto & unassigned = end(side).strangers().unassigned.drops;
  return std::accumulate(of_peer.begin(), of_peer.end(), std::uint64_t{0}) +
         std::accumulate(unassigned.begin(), unassigned.end(), std::uint64_t{0});
}

}  // namespace pqc_tunnel::test
