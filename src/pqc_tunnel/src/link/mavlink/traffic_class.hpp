// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__LINK__MAVLINK__TRAFFIC_CLASS_HPP_
#define PQC_TUNNEL__LINK__MAVLINK__TRAFFIC_CLASS_HPP_

#include <cstddef>
#include <cstdint>

namespace pqc_tunnel
{

// The kinds of traffic, from the most urgent to the least.
enum class TrafficClass : std::uint8_t
{
  control,     // the tunnel's own messages
  command,     // commands and their answers, heartbeats, manual control
  ordered,     // parameters, missions, files, texts
  telemetry,   // states; mostly the newest replaces older ones
  other,       // bytes that are not MAVLink
  stream,      // parts of streams, and their acknowledgements
  background,  // the same of keys that are fetched ahead
  unproved,    // frames to an address that has not proved itself
};
inline constexpr std::size_t traffic_classes = 8;

const char * to_string(TrafficClass traffic);

// Counts of the datagrams of one class at a thin link. offered = sent + conflated + full + stale + oversize + those
// that wait.
struct ShaperCounts
{
  std::uint64_t offered = 0;
  std::uint64_t sent = 0;
  std::uint64_t conflated = 0;  // replaced by a newer one
  std::uint64_t full = 0;       // dropped: the queue was full, or something urgent waited behind
  std::uint64_t stale = 0;      // dropped: it waited too long
  std::uint64_t oversize = 0;   // dropped: no frame of the link holds it

  std::uint64_t waiting() const { return offered - sent - conflated - full - stale - oversize; }
  ShaperCounts & operator+=(const ShaperCounts & other)
  {
    offered += other.offered;
    sent += other.sent;
    conflated += other.conflated;
    full += other.full;
    stale += other.stale;
    oversize += other.oversize;
    return *this;
  }
  ShaperCounts & operator-=(const ShaperCounts & other)
  {
    offered -= other.offered;
    sent -= other.sent;
    conflated -= other.conflated;
    full -= other.full;
    stale -= other.stale;
    oversize -= other.oversize;
    return *this;
  }
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__MAVLINK__TRAFFIC_CLASS_HPP_
