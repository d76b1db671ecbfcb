// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__TUNNEL__PEER_BUDGET_HPP_
#define PQC_TUNNEL__PROTOCOL__TUNNEL__PEER_BUDGET_HPP_

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/time.hpp"

namespace pqc_tunnel
{

// Limits the time that frames of several peers may take from the one thread that opens them. Each peer pays for its
// frames from a credit, and the peers that have paid share new credit equally. So one peer alone may use all of the
// time, and several that want too much get equal parts. A tunnel with a single peer has no limit.
class PeerBudget
{
public:
  explicit PeerBudget(std::size_t peers) : credits_(peers, most) {}

  // Adds a peer with the next number.
  void add() { credits_.push_back(most); }

  // Shares out `time` of the thread. A fifth is left for drops, hellos and datagrams that leave.
  void share(Duration time)
  {
    Duration back = time * 4 / 5;
    // A full credit leaves its part to the others. After a few rounds too little is left to matter.
    for (int round = 0; round < 4 && back > Duration{} && !owing_.empty(); ++round) {
      const Duration part = back / static_cast<Duration::rep>(owing_.size());
      for (const std::size_t peer : owing_) {
        const Duration taken = std::min(part, most - credits_[peer]);
        credits_[peer] += taken;
        back -= taken;
      }
      std::erase_if(owing_, [this](std::size_t peer) { return credits_[peer] == most; });
    }
  }
  bool allows(std::size_t peer) const
  {
    return credits_.size() == 1 || credits_[peer] > Duration{};
  }
  // Takes the time of a frame.
  void spend(std::size_t peer, Duration time)
  {
    if (credits_[peer] == most && time > Duration{}) {
      owing_.push_back(peer);
    }
    credits_[peer] -= time;
  }

private:
  static constexpr Duration most = std::chrono::milliseconds(5);

  std::vector<Duration> credits_;
  std::vector<std::size_t> owing_;  // peers whose credit is not full
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__TUNNEL__PEER_BUDGET_HPP_
