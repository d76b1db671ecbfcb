// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__WIRE__STREAM_LANE_HPP_
#define PQC_TUNNEL__PROTOCOL__WIRE__STREAM_LANE_HPP_

#include <array>
#include <cstddef>
#include <cstdint>

namespace pqc_tunnel
{

// The lanes of streams. Each direction carries one message in each of them at a time. Those of the background carry the
// prekeys that a drone fetches.
enum class StreamLane : std::uint8_t
{
  foreground,
  first,
  second,
  third,
};
inline constexpr std::array background_lanes = {
  StreamLane::first, StreamLane::second, StreamLane::third};
inline constexpr std::size_t stream_lane_count = 1 + background_lanes.size();

inline bool is_background(StreamLane lane) { return lane != StreamLane::foreground; }

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__WIRE__STREAM_LANE_HPP_
