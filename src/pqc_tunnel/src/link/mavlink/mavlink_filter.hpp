// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__LINK__MAVLINK__MAVLINK_FILTER_HPP_
#define PQC_TUNNEL__LINK__MAVLINK__MAVLINK_FILTER_HPP_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "mavlink_class.hpp"

namespace pqc_tunnel
{

// Selects the MAVLink frames with certain messages.
class MavlinkFilter
{
public:
  MavlinkFilter() = default;
  // `messages`: message ids; empty: everything passes.
  explicit MavlinkFilter(std::vector<std::uint32_t> messages) : messages_(std::move(messages))
  {
    std::ranges::sort(messages_);
  }

  bool passes_all() const { return messages_.empty(); }

  // Calls take(bytes) for each frame that passes, or once with all bytes if everything passes.
  template <class Take>
  void pick(ByteView frames, Take && take) const
  {
    if (passes_all()) {
      take(frames);
      return;
    }
    while (const auto frame = take_mavlink_frame(frames)) {
      if (std::ranges::binary_search(messages_, mavlink_message(*frame))) {
        take(*frame);
      }
    }
  }

private:
  std::vector<std::uint32_t> messages_;  // ascending
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__MAVLINK__MAVLINK_FILTER_HPP_
