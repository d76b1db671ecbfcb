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

  Shaper & of(std::size_t peer) { return queues_[peer].shaper; }
  const Shaper & of(std::size_t peer) const { return queues_[peer].shaper; }

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
  };

  const LinkSettings & link_;
  std::vector<Queue> queues_;  // by peer
  std::uint64_t turn_ = 0;     // `served` of the last peer before its turn
  std::size_t last_ = 0;       // index of the peer that was served last
  Duration owed_{};            // airtime that the other end took
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__SHAPING__SHARED_SHAPER_HPP_
