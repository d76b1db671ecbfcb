// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "shared_shaper.hpp"

#include <algorithm>
#include <utility>

namespace pqc_tunnel
{
namespace
{

// The debt is limited, since airtime that the other end took while this end was idle is none.
constexpr Duration longest_debt = std::chrono::milliseconds(100);

}  // namespace

SharedShaper::SharedShaper(const LinkSettings & link, std::size_t peers) : link_(link)
{
  for (std::size_t i = 0; i < peers; ++i) {
    add_peer();
  }
}

void SharedShaper::add_peer()
{
  queues_.push_back({Shaper(link_), turn_});
  note_changed(queues_.size() - 1);
}

void SharedShaper::note_changed(std::size_t peer)
{
  Queue & queue = queues_[peer];
  if (!std::exchange(queue.waits, true)) {
    waiting_.insert(std::ranges::lower_bound(waiting_, peer), peer);
  }
  if (!std::exchange(queue.changed, true)) {
    changed_.push_back(peer);
  }
}

std::optional<std::size_t> SharedShaper::take_changed()
{
  if (changed_.empty()) {
    return std::nullopt;
  }
  const std::size_t peer = changed_.back();
  changed_.pop_back();
  queues_[peer].changed = false;
  return peer;
}

std::optional<SharedShaper::Turn> SharedShaper::next_frame(Instant now)
{
  while (true) {
    Queue * chosen = nullptr;
    std::size_t peer = 0;
    bool yields = true;
    bool all_wait = true;
    // Peers with equal shares take turns, beginning after the last one.
    const auto first = std::ranges::upper_bound(waiting_, last_) - waiting_.begin();
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      const std::size_t index = waiting_[(static_cast<std::size_t>(first) + i) % waiting_.size()];
      Queue & queue = look_at(index);
      const Instant due = queue.shaper.next_timeout();
      if (due > now) {
        queue.waits = due != Instant::max();
        all_wait = all_wait && queue.waits;
        continue;
      }
      // A peer with nothing to send earns no credit.
      queue.served = std::max(queue.served, turn_);
      const bool gives_way = queue.shaper.yields(now);
      if (
        chosen == nullptr || std::pair(gives_way, queue.served) < std::pair(yields, chosen->served))
      {
        chosen = &queue;
        yields = gives_way;
        peer = index;
      }
    }
    if (!all_wait) {
      std::erase_if(waiting_, [this](std::size_t index) { return !queues_[index].waits; });
    }
    if (chosen == nullptr) {
      return std::nullopt;
    }
    note_changed(peer);
    const auto shaped = chosen->shaper.next_frame(now);
    if (!shaped) {
      continue;  // the queue has dropped stale datagrams
    }
    last_ = peer;
    turn_ = chosen->served;
    chosen->served += link_.line_bytes(shaped->frame.size());
    const Duration yielded = std::min(owed_, link_.airtime(shaped->frame.size()));
    owed_ -= yielded;
    free_at_ = std::max(free_at_, chosen->shaper.free_at() + yielded);
    return Turn{peer, *shaped};
  }
}

Instant SharedShaper::next_timeout() const
{
  Instant next = Instant::max();
  for (const std::size_t peer : waiting_) {
    next = std::min(next, look_at(peer).shaper.next_timeout());
  }
  return next;
}

void SharedShaper::handle_arrival(std::size_t frame)
{
  if (link_.is_half_duplex()) {
    owed_ = std::min(owed_ + link_.airtime(frame), longest_debt);
  }
}

void SharedShaper::clear()
{
  for (std::size_t peer = 0; peer < queues_.size(); ++peer) {
    of(peer).clear();
  }
}

}  // namespace pqc_tunnel
