// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "event_limit.hpp"

#include <string>
#include <utility>

namespace pqc_tunnel
{

bool EventLimit::passes(const Event & event)
{
  Kind & kind = kinds_[{event.peer, event.kind}];
  if (kind.tokens.take(event.time)) {
    return true;
  }
  if (++kind.left_out == 1) {
    kind.tell_at = event.time + telling_interval;
  }
  return false;
}

std::vector<Event> EventLimit::take_counts(Instant now)
{
  std::vector<Event> counts;
  for (auto & [name, kind] : kinds_) {
    if (kind.left_out > 0 && now >= kind.tell_at) {
      counts.push_back(
        {name.second, now, name.first, nullptr, Epoch{},
         std::to_string(std::exchange(kind.left_out, 0)) + " more events \"" +
           to_string(name.second) + "\" were left out",
         EventSeverity::warning});
    }
  }
  return counts;
}

}  // namespace pqc_tunnel
