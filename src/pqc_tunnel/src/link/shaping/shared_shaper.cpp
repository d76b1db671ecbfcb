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
    queues_.push_back({Shaper(link)});
  }
}

std::optional<SharedShaper::Turn> SharedShaper::next_frame(Instant now)
{
  while (true) {
    Queue * chosen = nullptr;
    std::size_t peer = 0;
    bool yields = true;
    // Peers with equal shares take turns, beginning after the last one.
    for (std::size_t i = 1; i <= queues_.size(); ++i) {
      const std::size_t index = (last_ + i) % queues_.size();
      Queue & queue = queues_[index];
      if (queue.shaper.next_timeout() > now) {
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
    if (chosen == nullptr) {
      return std::nullopt;
    }
    const auto shaped = chosen->shaper.next_frame(now);
    if (!shaped) {
      continue;  // the queue has dropped stale datagrams
    }
    last_ = peer;
    turn_ = chosen->served;
    chosen->served += link_.line_bytes(shaped->frame.size());
    const Duration yielded = std::min(owed_, link_.airtime(shaped->frame.size()));
    owed_ -= yielded;
    for (Queue & queue : queues_) {
      queue.shaper.occupy_until(chosen->shaper.free_at() + yielded);
    }
    return Turn{peer, *shaped};
  }
}

Instant SharedShaper::next_timeout() const
{
  Instant next = Instant::max();
  for (const Queue & queue : queues_) {
    next = std::min(next, queue.shaper.next_timeout());
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
  for (Queue & queue : queues_) {
    queue.shaper.clear();
  }
}

}  // namespace pqc_tunnel
