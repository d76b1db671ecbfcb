// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__SESSION__KEY_INDEX_HPP_
#define PQC_TUNNEL__PROTOCOL__SESSION__KEY_INDEX_HPP_

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "protocol/wire/wire.hpp"

namespace pqc_tunnel
{

// Says which peers hold keys that open frames with a key id. Each set of keys has an entry of its own, which leaves the
// index when the keys are wiped. Peers may share an id, since it has only 3 bytes.
class KeyIndex
{
public:
  struct Holder
  {
    FrameKeyId id{};
    PeerIndex peer{};
    std::uint32_t sets = 0;  // of keys with this id
  };

  // The place of one set of keys; empty: it has none. The index must outlive it.
  class Entry
  {
  public:
    Entry() = default;
    Entry(KeyIndex & index, FrameKeyId id, PeerIndex peer) : index_(&index), id_(id), peer_(peer)
    {
      index.add(id, peer);
    }
    Entry(Entry && other) noexcept
    : index_(std::exchange(other.index_, nullptr)), id_(other.id_), peer_(other.peer_)
    {
    }
    Entry & operator=(Entry && other) noexcept
    {
      std::swap(index_, other.index_);
      std::swap(id_, other.id_);
      std::swap(peer_, other.peer_);
      return *this;
    }
    ~Entry()
    {
      if (index_ != nullptr) {
        index_->remove(id_, peer_);
      }
    }

  private:
    KeyIndex * index_ = nullptr;
    FrameKeyId id_{};
    PeerIndex peer_{};
  };

  // Returns who holds keys with this id, each peer once, in the order of PeerIndex. Valid until keys come or go.
  std::span<const Holder> find(FrameKeyId id) const
  {
    const auto first = std::ranges::lower_bound(holders_, id, {}, &Holder::id);
    auto last = first;
    while (last != holders_.end() && last->id == id) {
      ++last;
    }
    return {first, last};
  }

private:
  std::vector<Holder>::iterator place(FrameKeyId id, PeerIndex peer)
  {
    return std::ranges::lower_bound(holders_, std::pair(id, peer), {}, [](const Holder & holder) {
      return std::pair(holder.id, holder.peer);
    });
  }
  void add(FrameKeyId id, PeerIndex peer)
  {
    auto at = place(id, peer);
    if (at == holders_.end() || at->id != id || at->peer != peer) {
      at = holders_.insert(at, {id, peer, 0});
    }
    ++at->sets;
  }
  void remove(FrameKeyId id, PeerIndex peer)
  {
    const auto at = place(id, peer);
    if (--at->sets == 0) {
      holders_.erase(at);
    }
  }

  std::vector<Holder> holders_;  // sorted by id and peer: a search stays in a few cache lines
};

// Where the keys of a peer are entered; without an index nowhere.
struct KeyOwner
{
  KeyIndex * index = nullptr;
  PeerIndex peer{};
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__SESSION__KEY_INDEX_HPP_
