// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__TUNNEL__PEER_AGENDA_HPP_
#define PQC_TUNNEL__PROTOCOL__TUNNEL__PEER_AGENDA_HPP_

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "base/time.hpp"

namespace pqc_tunnel
{

// Knows when each peer is due, and to which peers something has happened since that was computed. So only those are
// looked at that are due or noted.
class PeerAgenda
{
public:
  explicit PeerAgenda(std::size_t peers)
  {
    for (std::size_t peer = 0; peer < peers; ++peer) {
      add();
    }
  }

  // Adds a peer with the next number.
  void add()
  {
    const std::size_t peer = places_.size();
    places_.push_back(queue_.emplace(Instant::max(), peer).first);
    is_noted_.push_back(false);
    note(peer);
  }

  // Something happened that may bring forward when the peer is due.
  void note(std::size_t peer)
  {
    if (!is_noted_[peer]) {
      is_noted_[peer] = true;
      noted_.push_back(peer);
    }
  }
  void note_all()
  {
    for (std::size_t peer = 0; peer < is_noted_.size(); ++peer) {
      note(peer);
    }
  }
  // Sets for each noted peer when it is due, by look(peer).
  template <class Look>
  void settle(Look && look)
  {
    for (const std::size_t peer : noted_) {
      is_noted_[peer] = false;
      move(peer, look(peer));
    }
    noted_.clear();
  }

  // Lets the peer be due at that time, if it is not earlier.
  void bring_forward(std::size_t peer, Instant due)
  {
    if (due < places_[peer]->first) {
      move(peer, due);
    }
  }

  // Returns when the first peer is due. Only settled peers count.
  Instant next() const { return queue_.empty() ? Instant::max() : queue_.begin()->first; }
  // Notes the peers that are due and returns them, the first one first. Valid until the next call.
  const std::vector<std::size_t> & take_due(Instant now)
  {
    due_.clear();
    for (auto at = queue_.begin(); at != queue_.end() && at->first <= now; ++at) {
      due_.push_back(at->second);
      note(at->second);
    }
    return due_;
  }

private:
  void move(std::size_t peer, Instant due)
  {
    auto entry = queue_.extract(places_[peer]);
    entry.value().first = due;
    places_[peer] = queue_.insert(std::move(entry)).position;
  }

  using Queue = std::set<std::pair<Instant, std::size_t>>;

  Queue queue_;
  std::vector<Queue::iterator> places_;  // by peer
  std::vector<bool> is_noted_;
  std::vector<std::size_t> noted_;
  std::vector<std::size_t> due_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__TUNNEL__PEER_AGENDA_HPP_
