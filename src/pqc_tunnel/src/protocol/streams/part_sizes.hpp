// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__STREAMS__PART_SIZES_HPP_
#define PQC_TUNNEL__PROTOCOL__STREAMS__PART_SIZES_HPP_

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>

#include "base/time.hpp"
#include "link/paths/link_settings.hpp"
#include "protocol/wire/constants.hpp"
#include "stream.hpp"

namespace pqc_tunnel
{

inline constexpr std::size_t small_part = 512;  // bytes; may pass where larger parts are lost

// Returns the bytes on the line of a stream's frame beside its payload.
inline std::size_t overhead_on(const LinkSettings & link)
{
  return link.line_bytes(small_part) - small_part + frame_overhead;
}

// Returns the bytes of the longest payload of a stream at a pace, in bytes per second on the line. A part is so brief that
// data beside it waits little, and longer where few data meet one. `rate`: bytes per second of the link; none: unknown.
inline std::size_t paced_payload(const LinkSettings & link, double pace, std::optional<double> rate)
{
  constexpr double most_pace_s = 2.5;
  constexpr double rare = 0.03;
  constexpr double most = universal_payload;
  constexpr std::size_t least = StreamPart::header_size + 64;
  const double most_airtime_s = rate && pace <= *rate * rare ? 0.035 : 0.028;
  const double line = std::min({pace * most_pace_s, rate ? *rate * most_airtime_s : most, most});
  const auto bytes = static_cast<std::size_t>(line);
  return std::max(least, bytes - std::min(bytes, overhead_on(link)));
}

// Small parts at a pace are acknowledged rarely, since acknowledgements would take much beside them.
inline std::size_t parts_per_acknowledgement(std::size_t payload, bool paced)
{
  return paced && payload < small_part ? 8 : 2;
}

// An acknowledgement waits no longer for others; that of small parts at a pace, for some of them.
inline constexpr Duration ack_delay = std::chrono::milliseconds(10);
inline Duration paced_ack_delay(Duration interval)
{
  return std::clamp<Duration>(4 * interval, ack_delay, std::chrono::seconds(4));
}

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__STREAMS__PART_SIZES_HPP_
