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

// Reassembles datagrams whose fragments arrive in any order, over any link. It holds a few at a time; a further one
// replaces the one whose next fragment is most overdue. Memory is bounded, and allocated with the first fragment.
class Reassembly
{
public:
  static constexpr std::size_t most_datagrams = 8;

  // `patience`: how long a datagram waits for its next fragment.
  explicit Reassembly(Duration patience) : patience_(patience) {}

  // Handles an authentic fragment of a frame that is proven to be young. Returns the datagram that it completes, valid
  // until the next call. Counts a datagram dropped for it as incomplete, and a contradicting fragment as malformed.
  std::optional<MutableBytes> handle(
    const FragmentOrigin & origin, const Fragment & fragment, TrafficCounters & counters,
    Instant now);
  // Sets the keys of the latest frame.
  void note_keys(std::uint64_t keys) { keys_ = keys; }
  // Drops and counts datagrams that have waited too long.
  void handle_timeout(TrafficCounters & counters, Instant now);
  // Drops all datagrams without counting them.
  void clear();

private:
  struct Partial
  {
    FragmentOrigin origin;
    Bytes bytes;
    ByteRanges here;
    std::optional<std::size_t> size;  // of the datagram; none: its last fragment is missing
    Instant newest;                   // arrival of the newest fragment

    bool is_used() const { return !here.ranges().empty(); }
  };
  Partial & place_for(const FragmentOrigin & origin, TrafficCounters & counters);
  void give_up(Partial & partial, TrafficCounters & counters) const;

  Duration patience_;
  std::array<Partial, most_datagrams> partials_;
  std::uint64_t keys_ = 0;  // those of the latest frame
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__STREAMS__REASSEMBLY_HPP_
