// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "outages.hpp"

#include <utility>

namespace pqc_tunnel::link_emulator
{

namespace
{

// Windows may cover all time: end() gives up after this many adjacent ones.
constexpr int most_in_a_row = 1000;

}  // namespace

Outages::Outages(std::vector<Outage> windows, Instant start)
: windows_(std::move(windows)), start_(start)
{
}

std::optional<Instant> Outages::end(Instant now) const
{
  std::optional<Instant> ended;
  for (int i = 0; i < most_in_a_row; ++i) {
    const auto next = end_of_one(ended.value_or(now));
    if (!next) {
      break;
    }
    ended = next;
  }
  return ended;
}

std::optional<Instant> Outages::end_of_one(Instant now) const
{
  for (const Outage & window : windows_) {
    Duration into = now - start_ - window.start;
    if (window.period && into >= Duration::zero()) {
      into %= *window.period;
    }
    if (into >= Duration::zero() && into < window.length) {
      return now + (window.length - into);
    }
  }
  return std::nullopt;
}

}  // namespace pqc_tunnel::link_emulator
