// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__LINK__SHAPING__SHARED_SHAPER_HPP_
#define PQC_TUNNEL__LINK__SHAPING__SHARED_SHAPER_HPP_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.hpp"
#include "link/paths/link_settings.hpp"
#include "shaper.hpp"

namespace pqc_tunnel
{

// Queues before a link of known rate, one for each peer. The peers with something to send get equal airtime, whatever
// they offer (start-time fair queueing, Goyal et al., 1996). Sans-I/O like Shaper.
class SharedShaper
{
public:
  // The link must outlive the object.
  SharedShaper(const LinkSettings & link, std::size_t peers);
  // Adds a peer with the next number.
  void add_peer();

  // The queue of a peer, to be changed before the next call.
  Shaper & of(std::size_t peer)
  {
    note_changed(peer);
    return look_at(peer).shaper;
  }
  const Shaper & of(std::size_t peer) const { return look_at(peer).shaper; }
  // Returns a peer whose queue has changed since this returned it last; at first each peer.
  std::optional<std::size_t> take_changed();
  bool has_changed() const { return !changed_.empty(); }

  struct Turn
  {
    std::size_t peer = 0;
    ShapedFrame shaped;
  };
  // Returns the next frame, if the link is free and one is due. Its bytes are valid until the next call.
  std::optional<Turn> next_frame(Instant now);
  // Returns when next_frame() may have one; max: nothing waits.
  Instant next_timeout() const;

  // A frame of so many bytes has arrived by the link. If both directions share the rate, this end yields as much
  // airtime as the other end takes, but keeps half.
  void handle_arrival(std::size_t frame);

  // Drops all that waits and counts it as stale, because the link has gone.
  void clear();

private:
  struct Queue
  {
    Shaper shaper;
    std::uint64_t served = 0;  // bytes on the line; at least turn_ while it has nothing to send
    bool waits = false;
    bool changed = false;
  };
  // A queue learns only when it is looked at that others have used the link.
  Queue & look_at(std::size_t peer) const
  {
    queues_[peer].shaper.occupy_until(free_at_);
    return queues_[peer];
  }
  void note_changed(std::size_t peer);

  const LinkSettings & link_;
  mutable std::vector<Queue> queues_;  // by peer
  std::vector<std::size_t> waiting_;   // peers that may have something to send, in order
  std::vector<std::size_t> changed_;   // see take_changed()
  Instant free_at_;                    // when the link has sent all frames handed out
  std::uint64_t turn_ = 0;             // `served` of the last peer before its turn
  std::size_t last_ = 0;               // index of the peer that was served last
  Duration owed_{};                    // airtime that the other end took
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__SHAPING__SHARED_SHAPER_HPP_
