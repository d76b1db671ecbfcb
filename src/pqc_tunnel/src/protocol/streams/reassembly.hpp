// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__STREAMS__REASSEMBLY_HPP_
#define PQC_TUNNEL__PROTOCOL__STREAMS__REASSEMBLY_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "byte_ranges.hpp"
#include "link/framing/fragment.hpp"
#include "protocol/session/snapshot.hpp"

namespace pqc_tunnel
{

// Puts datagrams together whose fragments come in any order, over any link. A few at a time: one too many takes the place
// of the one that has waited longest for its next fragment. Its memory is bounded, and taken when the first fragment comes.
class Reassembly
{
public:
  static constexpr std::size_t most_datagrams = 8;

  // `patience`: how long a datagram waits for its next fragment.
  explicit Reassembly(Duration patience) : patience_(patience) {}

  // An authentic fragment of a frame that is proven to be young. Returns the datagram that it completes, valid until the
  // next call. Counts as incomplete what is given up for it, and as malformed what contradicts other fragments.
  std::optional<MutableBytes> handle(
    const FragmentOrigin & origin, const Fragment & fragment, TrafficCounters & counters,
    Instant now);
  // The latest frame came under these keys.
  void note_keys(std::uint64_t keys) { keys_ = keys; }
  // Gives up what has waited too long, and counts it.
  void handle_timeout(TrafficCounters & counters, Instant now);
  // Forgets all, without a count.
  void clear();

private:
  struct Partial
  {
    FragmentOrigin origin;
    Bytes bytes;
    ByteRanges here;
    std::optional<std::size_t> size;  // of the datagram, once its last fragment is here
    Instant newest;                   // fragment

    bool is_used() const { return !here.ranges().empty(); }
  };
  Partial & place_for(const FragmentOrigin & origin, TrafficCounters & counters);
  void give_up(Partial & partial, TrafficCounters & counters) const;

  Duration patience_;
  std::array<Partial, most_datagrams> partials_;
  std::uint64_t keys_ = 0;  // of the latest frame
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__STREAMS__REASSEMBLY_HPP_
