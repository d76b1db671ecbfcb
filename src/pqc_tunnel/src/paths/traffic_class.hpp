// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PATHS__TRAFFIC_CLASS_HPP_
#define PATHS__TRAFFIC_CLASS_HPP_

#include <cstddef>
#include <cstdint>

namespace pqc_tunnel
{

// What a frame carries; the most urgent first.
enum class TrafficClass : std::uint8_t
{
  control,    // the tunnel's own messages
  command,    // commands and their answers, heartbeats, manual control
  ordered,    // parameters, missions, files, texts
  stream,     // parts of streams, and their acknowledgements
  telemetry,  // of most, the newest counts
  other,      // bytes that are not MAVLink
};
inline constexpr std::size_t traffic_classes = 6;

}  // namespace pqc_tunnel

#endif  // PATHS__TRAFFIC_CLASS_HPP_
