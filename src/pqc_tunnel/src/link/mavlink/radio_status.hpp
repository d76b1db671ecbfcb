// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__LINK__MAVLINK__RADIO_STATUS_HPP_
#define PQC_TUNNEL__LINK__MAVLINK__RADIO_STATUS_HPP_

#include <cstdint>
#include <optional>

#include "base/bytes.hpp"
#include "base/time.hpp"

namespace pqc_tunnel
{

// Tells the autopilot how much room its link has, as a telemetry radio does: an autopilot slows its streams when there is
// little, and quickens them when there is much. Sans-I/O.
class RadioStatus
{
public:
  // A datagram from or for the vehicle. A radio that reports by itself is left to do so.
  void look_for_radio(ByteView datagram);
  // Returns a frame with RADIO_STATUS once a second. `load` is the airtime that the vehicle has asked for in vain; a load of
  // `longest` means that there is no room. A vehicle that soon fills the link again is told of half the room for longer.
  std::optional<Bytes> next(Duration load, Duration longest, Instant now);

private:
  bool hears_radio_ = false;
  Instant silent_until_;
  Instant next_;
  Instant scarce_;   // the latest time with little room
  Duration hold_{};  // the vehicle is told of at most half the room for so long after that
  std::uint8_t sequence_ = 0;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__MAVLINK__RADIO_STATUS_HPP_
