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
    counting_.emplace_back(event.peer, event.kind);
  }
  return false;
}

std::vector<Event> EventLimit::take_counts(Instant now)
{
  std::vector<Event> counts;
  std::erase_if(counting_, [&](const Name & name) {
    Kind & kind = kinds_.at(name);
    if (now < kind.tell_at) {
      return false;
    }
    counts.push_back(
      {name.second, now, name.first, nullptr, Epoch{},
       std::to_string(std::exchange(kind.left_out, 0)) + " more events \"" +
         to_string(name.second) + "\" were left out",
       EventSeverity::warning});
    return true;
  });
  return counts;
}

}  // namespace pqc_tunnel
