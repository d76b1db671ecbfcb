// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__LINK_EMULATOR__COUNTERS_HPP_
#define PQC_TOOLS__LINK_EMULATOR__COUNTERS_HPP_

#include <cstdint>

namespace pqc_tunnel::link_emulator
{

// Counts the datagrams of one direction, or the packets of a serial radio. Always
//   in + duplicated = out + lost + lost_in_outage + queue_dropped + oversize + taken + in flight.
struct DatagramCounters
{
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t lost = 0;  // random and burst loss
  std::uint64_t lost_in_outage = 0;
  std::uint64_t queue_dropped = 0;  // no room in the queue
  std::uint64_t oversize = 0;       // longer than the MTU
  std::uint64_t taken = 0;          // dropped by an adversary
  std::uint64_t withheld = 0;       // delayed by an adversary
  std::uint64_t duplicated = 0;     // copies made
  std::uint64_t corrupted = 0;      // forwarded with wrong bits, without copies
  std::uint64_t reordered = 0;      // left after a datagram that arrived later
};

}  // namespace pqc_tunnel::link_emulator

#endif  // PQC_TOOLS__LINK_EMULATOR__COUNTERS_HPP_
