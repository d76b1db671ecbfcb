// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__HANDSHAKE__PREKEY_STOCK_HPP_
#define PQC_TUNNEL__PROTOCOL__HANDSHAKE__PREKEY_STOCK_HPP_

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "handshake_crypto.hpp"
#include "protocol/wire/constants.hpp"

namespace pqc_tunnel
{

// The prekeys that a drone holds, at most one of each kind, each used once: the newest ones, as the ground station keeps them.
class PrekeyStock
{
public:
  bool holds(const Suite & suite, Instant now) const
  {
    return std::ranges::any_of(stored_, [&](const Stored & stored) {
      return stored.kind == PrekeyKind(suite) && now < stored.expires;
    });
  }

  void add(VerifiedPrekey prekey, Instant now)
  {
    discard(*prekey.suite);
    const PrekeyKind kind(*prekey.suite);
    if (stored_.size() >= max_prekeys) {
      stored_.erase(stored_.begin());
    }
    stored_.push_back({kind, now + prekey_lifetime, std::move(prekey)});
  }

  // Drops the oldest prekeys that are not `kept` until one of `size` bytes fits within `most` bytes, or none is left.
  template <class Kept>
  void make_room(std::size_t size, std::size_t most, Kept && kept)
  {
    while (bytes() + size > most || stored_.size() >= max_prekeys) {
      const auto oldest =
        std::ranges::find_if(stored_, [&](const Stored & one) { return !kept(one.kind); });
      if (oldest == stored_.end()) {
        return;
      }
      stored_.erase(oldest);
    }
  }

  std::optional<VerifiedPrekey> take(const Suite & suite, Instant now)
  {
    std::optional<VerifiedPrekey> taken;
    for (Stored & stored : stored_) {
      if (stored.kind == PrekeyKind(suite) && now < stored.expires) {
        taken = std::move(stored.prekey);
      }
    }
    discard(suite);
    return taken;
  }

  void handle_timeout(Instant now)
  {
    std::erase_if(stored_, [now](const Stored & stored) { return now >= stored.expires; });
  }
  Instant next_timeout() const
  {
    Instant next = Instant::max();
    for (const Stored & stored : stored_) {
      next = std::min(next, stored.expires);
    }
    return next;
  }

  void discard(const Suite & suite)
  {
    std::erase_if(stored_, [&](const Stored & stored) { return stored.kind == PrekeyKind(suite); });
  }

  void clear() { stored_.clear(); }
  std::size_t count() const { return stored_.size(); }
  std::size_t bytes() const
  {
    std::size_t sum = 0;
    for (const Stored & stored : stored_) {
      sum += stored.prekey.public_key.size();
    }
    return sum;
  }

  // False if the ground station has used this key before. Remembers it, even if the exchange fails later.
  bool is_new(const KeyId & id)
  {
    if (std::ranges::find(seen_, id) != seen_.end()) {
      return false;
    }
    seen_.push_back(id);
    if (seen_.size() > remembered_key_ids) {
      seen_.pop_front();
    }
    return true;
  }

private:
  struct Stored
  {
    PrekeyKind kind;
    Instant expires;
    VerifiedPrekey prekey;
  };

  std::vector<Stored> stored_;
  std::deque<KeyId> seen_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__HANDSHAKE__PREKEY_STOCK_HPP_
