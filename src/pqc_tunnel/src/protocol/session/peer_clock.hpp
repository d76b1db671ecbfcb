// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__SESSION__PEER_CLOCK_HPP_
#define PQC_TUNNEL__PROTOCOL__SESSION__PEER_CLOCK_HPP_

#include <algorithm>
#include <optional>

#include "base/time.hpp"
#include "protocol/wire/wire.hpp"

namespace pqc_tunnel
{

// Bounds the time that the peer's clock shows, and so the age of its frames. A frame known to be sealed after a moment
// of our clock gives the bound: at that moment the peer's clock had not passed the time in the frame. An attacker who
// delays frames or answers only loosens the bound, which makes frames look older, never younger. Times of the peer
// count modulo the period of the time in frames. A peer that restarts has another clock, so an object lasts for one
// session.
class PeerClock
{
public:
  // The frame with time `sent`, which arrives now, was sealed after the moment `after`.
  void note_sealed(SendTime sent, Instant after, Instant now)
  {
    const Duration latest = time_of(sent) + send_time_unit - after.time_since_epoch();
    // A peer ahead of its own bound means that one of the clocks has jumped.
    const bool jumped = known_ && difference(time_of(sent), latest_at(now)) > Duration{};
    const Duration drifted = drift(now - after);
    if (!known_ || jumped || difference(latest + drifted, latest_ + drift(now - at_)) < Duration{})
    {
      known_ = true;
      latest_ = latest;
      at_ = after;
    }
  }

  // The frame with time `sent` answers a question of the moment `asked`.
  void note_answer(SendTime sent, Instant asked, Instant now)
  {
    note_sealed(sent, asked, now);
    round_trip_ = std::min(round_trip_.value_or(now - asked), now - asked);
  }

  bool answered() const { return round_trip_.has_value(); }

  // Returns the usual one-way delay, half of the smallest round trip of the session. Delaying later answers does not
  // change it; an attacker who delays all answers from the start can at most double the age.
  Duration usual_way(Duration max_age) const
  {
    return std::min(round_trip_.value_or(Duration{}) / 2, max_age);
  }

  // True if a frame is at most max_age + usual_way() old. Its age must be less than half a period.
  bool is_young(SendTime sent, Duration max_age, Instant now) const
  {
    const Duration age = difference(latest_at(now), time_of(sent));
    return known_ && age >= Duration{} && age <= max_age + usual_way(max_age);
  }

private:
  // Returns more than two crystals can differ in that time: 244 parts in a million.
  static Duration drift(Duration time) { return time / 4096; }
  static Duration time_of(SendTime sent)
  {
    return static_cast<std::int64_t>(sent) * send_time_unit;
  }
  // Returns a - b modulo the period, within half a period of zero.
  static Duration difference(Duration a, Duration b)
  {
    const Duration rest = (a - b) % send_time_period;
    return rest >= send_time_period / 2   ? rest - send_time_period
           : rest < -send_time_period / 2 ? rest + send_time_period
                                          : rest;
  }
  Duration latest_at(Instant now) const
  {
    return now.time_since_epoch() + latest_ + drift(now - at_);
  }

  bool known_ = false;
  Duration latest_{};  // most that the peer's clock was ahead of ours at at_
  Instant at_;
  std::optional<Duration> round_trip_;  // smallest of the session
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__SESSION__PEER_CLOCK_HPP_
