// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__LINK__ESTIMATE__DELIVERY_RATE_HPP_
#define PQC_TUNNEL__LINK__ESTIMATE__DELIVERY_RATE_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/endpoint.hpp"
#include "base/time.hpp"

namespace pqc_tunnel
{

// How fast a link delivers, and how much may be on the way: in the manner of BBR (Cardwell et al., ACM Queue 14(5), 2016), but
// made to yield, as LEDBAT is (RFC 6817): the more its parts queue, the less it sends, so that data beside it waits
// for a few milliseconds only.
class DeliveryRate
{
public:
  // When a part left, and what was delivered then.
  struct Mark
  {
    Instant sent;
    std::uint64_t delivered = 0;
    Instant delivered_at;
    bool is_last = false;  // nothing waited behind it: it tells little of what the link can deliver
    bool yields = false;   // data beside it comes first
  };

  // `idle`: nothing is on the way.
  Mark mark(bool idle, bool is_last, bool yields, Instant now) const;
  // So many bytes have been acknowledged for the first time.
  void handle_delivered(std::size_t bytes, Instant now);
  // The part that left with this mark has been acknowledged, and none that left later. `waited`: there, before the
  // acknowledgement.
  void handle_answer(const Mark & mark, Duration waited, Instant now);
  // What became of a part, in the end.
  void handle_arrived();
  void handle_lost();
  // Nothing was acknowledged for a long time: the link may have another rate when it comes back.
  void handle_silence();

  // A round trip has been measured.
  bool known() const { return known_; }
  // Bytes that may be in flight.
  std::size_t window() const;
  // The bytes of a part that takes little time on the air, so that what is sent beside it waits little: 256 at least.
  std::size_t brief_part() const;
  // The pause after a part of this size.
  Duration pause(std::size_t bytes) const;
  // After this time without an acknowledgement what is in flight is probably lost. `silences`: such times before, in a row.
  Duration patience(int silences) const;
  // A part sent this long before one that was acknowledged is lost.
  Duration reordering() const { return smoothed_rtt_ / 4; }

private:
  static constexpr std::size_t rounds = 8;

  double bytes_per_s() const;
  std::size_t least_window() const;
  // How long parts wait in queues; jitter, which is in single round trips, is not in it.
  Duration queue() const;
  Duration allowed_queue() const;
  void note_queue(Duration rtt, Instant now);
  double gain() const;
  double arriving() const;

  bool known_ = false;  // a round trip has been measured
  bool starting_ = true;
  bool start_yields_ = false;
  Duration smoothed_rtt_{};
  Duration variation_{};
  Duration min_rtt_{};
  Instant min_rtt_at_;
  std::optional<Instant> draining_until_;  // to measure the round trip without what waits
  Duration newest_rtt_{};  // the least of a fraction of a round trip, not yet complete
  Duration recent_rtt_{};  // … and of the one before
  int newest_count_ = 0;
  Instant newest_until_;
  double loss_ = 0;
  std::uint64_t delivered_ = 0;
  Instant delivered_at_;
  std::array<double, rounds> rates_ = {};  // the highest rate of each of the last round trips
  std::size_t round_ = 0;
  Instant round_ends_;
  double rate_before_ = 0;  // while starting: at the end of the last round in which it grew
  int rounds_without_growth_ = 0;
  std::size_t start_window_ = 4 * universal_payload;
  std::uint64_t grown_at_ = 0;  // of what was delivered, in the start window
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__ESTIMATE__DELIVERY_RATE_HPP_
