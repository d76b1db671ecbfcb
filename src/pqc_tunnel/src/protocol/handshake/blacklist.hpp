// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__HANDSHAKE__BLACKLIST_HPP_
#define PQC_TUNNEL__PROTOCOL__HANDSHAKE__BLACKLIST_HPP_

#include <algorithm>
#include <vector>

#include "base/time.hpp"
#include "crypto/suites/suite.hpp"
#include "protocol/session/snapshot.hpp"

namespace pqc_tunnel
{

// Suites that failed under the PSK, each for a while. Never the one in use.
class Blacklist
{
public:
  explicit Blacklist(Duration ttl) : ttl_(ttl) {}

  void add(const Suite & suite, Instant now)
  {
    remove(suite);
    entries_.push_back({&suite, now + ttl_});
  }
  void remove(const Suite & suite)
  {
    std::erase_if(entries_, [&](const auto & entry) { return entry.suite == &suite; });
  }
  void clear() { entries_.clear(); }
  bool holds(const Suite & suite, Instant now) const
  {
    return std::ranges::any_of(
      entries_, [&](const auto & entry) { return entry.suite == &suite && now < entry.expires; });
  }
  std::vector<BlacklistEntry> entries(Instant now) const
  {
    std::vector<BlacklistEntry> live = entries_;
    std::erase_if(live, [now](const auto & entry) { return now >= entry.expires; });
    return live;
  }

private:
  Duration ttl_;
  std::vector<BlacklistEntry> entries_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__HANDSHAKE__BLACKLIST_HPP_
