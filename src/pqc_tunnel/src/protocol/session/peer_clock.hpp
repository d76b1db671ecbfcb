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

// What the peer's clock shows at most, and so how old its frames are at most. A frame that was sealed after a moment of our
// clock proves it: at that moment the peer's clock had not passed the time in the frame. Whoever holds back frames or
// answers makes the bound looser, and frames look older, never younger. All times of the peer count modulo the period of
// the time in frames; one object lasts as long as one session, since a peer that starts again has another clock.
class PeerClock
{
public:
  // The frame with this time, which arrives now, was sealed after that moment.
  void note_sealed(SendTime sent, Instant after, Instant now)
  {
    const Duration latest = time_of(sent) + send_time_unit - after.time_since_epoch();
    // The peer can't be ahead of its own bound: one of the clocks has jumped.
    const bool jumped = known_ && difference(time_of(sent), latest_at(now)) > Duration{};
    const Duration drifted = drift(now - after);
    if (!known_ || jumped || difference(latest + drifted, latest_ + drift(now - at_)) < Duration{})
    {
      known_ = true;
      latest_ = latest;
      at_ = after;
    }
  }

  // That frame answers a question of that moment.
  void note_answer(SendTime sent, Instant asked, Instant now)
  {
    note_sealed(sent, asked, now);
    round_trip_ = std::min(round_trip_.value_or(now - asked), now - asked);
  }

  bool answered() const { return round_trip_.has_value(); }

  // What the way usually takes. Half of the smallest round trip of the session: holding back later answers changes nothing.
  // Whoever holds back all from the start can double the age at most.
  Duration usual_way(Duration max_age) const
  {
    return std::min(round_trip_.value_or(Duration{}) / 2, max_age);
  }

  // Whether a frame is at most `max_age` and the usual way old, if it is younger than half a period.
  bool is_young(SendTime sent, Duration max_age, Instant now) const
  {
    const Duration age = difference(latest_at(now), time_of(sent));
    return known_ && age >= Duration{} && age <= max_age + usual_way(max_age);
  }

private:
  // More than two crystals differ by: 244 parts in a million.
  static Duration drift(Duration time) { return time / 4096; }
  static Duration time_of(SendTime sent)
  {
    return static_cast<std::int64_t>(sent) * send_time_unit;
  }
  // In half a period to either side.
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
  Duration latest_{};                   // of the peer's clock, ahead of ours
  Instant at_;                          // then
  std::optional<Duration> round_trip_;  // the smallest
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__SESSION__PEER_CLOCK_HPP_
