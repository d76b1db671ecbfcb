// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__ENGINE__LOOP__EVENT_LIMIT_HPP_
#define PQC_TUNNEL__ENGINE__LOOP__EVENT_LIMIT_HPP_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "protocol/session/event.hpp"
#include "protocol/session/token_bucket.hpp"

namespace pqc_tunnel
{

// Limits events, and thus log lines, which a peer can cause at any rate. For each kind and peer 32 pass at once and
// then one a second; the others are counted and the count is reported. So no peer hides the events of others, or its
// own of other kinds.
class EventLimit
{
public:
  bool passes(const Event & event);
  // Returns an event for each count that is due.
  std::vector<Event> take_counts(Instant now);

private:
  static constexpr Duration telling_interval = std::chrono::seconds(10);
  struct Kind
  {
    TokenBucket tokens{32, 1};
    std::uint64_t left_out = 0;
    Instant tell_at;
  };
  using Name = std::pair<std::optional<PeerIndex>, EventKind>;
  std::map<Name, Kind> kinds_;
  std::vector<Name> counting_;  // kinds with a count
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__LOOP__EVENT_LIMIT_HPP_
