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

// Tells the autopilot how much room its link has, as a telemetry radio does. The autopilot slows its streams when there
// is little, and speeds them up when there is much. Sans-I/O.
class RadioStatus
{
public:
  // Searches a datagram from or for the vehicle for MAVLink, without which next() reports nothing, and for reports of a
  // radio, which silence those of next() for a while.
  void look_for_radio(ByteView datagram);
  // Returns a frame with RADIO_STATUS once a second. `load` is the airtime that the vehicle has asked for in vain; a load of
  // `longest` means no room. A vehicle that soon fills the link again reads "half the room" for longer each time.
  std::optional<Bytes> next(Duration load, Duration longest, Instant now);

private:
  bool is_mavlink_ = false;
  bool hears_radio_ = false;
  Instant silent_until_;
  Instant next_;
  Instant scarce_;   // the latest time with little room
  Duration hold_{};  // how long after that the report is at most half
  std::uint8_t sequence_ = 0;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__MAVLINK__RADIO_STATUS_HPP_
