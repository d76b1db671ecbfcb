// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__ENGINE__LOOP__DRONE_LINES_HPP_
#define PQC_TUNNEL__ENGINE__LOOP__DRONE_LINES_HPP_

#include <cstdint>
#include <optional>
#include <string>

#include "link/mavlink/mavlink_statustext.hpp"
#include "protocol/wire/notice.hpp"

namespace pqc_tunnel
{

// Receives the lines of text that the programs of one drone send for its pilot. They send each line several times under
// one number, because a notice may get lost.
class DroneLines
{
public:
  struct Line
  {
    MavlinkSeverity severity = MavlinkSeverity::info;
    std::string text;  // escaped by shown()
  };
  // Returns the line if its number differs from the last one, and it must be shown.
  std::optional<Line> handle(const Notice & notice);
  // Returns the newest line; empty before the first one.
  const std::string & newest() const { return newest_; }

private:
  std::optional<std::uint8_t> number_;
  std::string newest_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__LOOP__DRONE_LINES_HPP_
