// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__DELIVERY_RATE_HPP_
#define PQC_TUNNEL__PROTOCOL__DELIVERY_RATE_HPP_

#include <array>
#include <cstddef>
#include <cstdint>

#include "pqc_tunnel/base/time.hpp"

namespace pqc_tunnel
{

// How fast a link delivers, and how much may be on the way: in the manner of BBR (Cardwell et al., ACM Queue 14(5), 2016), but
// made to yield: when the round trip grows by more than 20 ms it sends less than the link delivers.
class DeliveryRate
{
public:
  // What was delivered when a part left.
  struct Mark
  {
    std::uint64_t delivered = 0;
    Instant delivered_at;
    bool is_last = false;  // nothing waited behind it: it tells little of what the link can deliver
  };

  // `idle`: nothing is on the way.
  Mark mark(bool idle, bool is_last, Instant now) const;
  // A part of `bytes` that left at `sent` with `mark` has been acknowledged.
  void handle_delivered(std::size_t bytes, const Mark & mark, Instant sent, Instant now);
  // Nothing was acknowledged for patience(): the link may have another rate when it comes back.
  void handle_silence();

  // Bytes that may be in flight.
  std::size_t window() const;
  // The pause after a part of this size.
  Duration pause(std::size_t bytes) const;
  // After this time without an acknowledgement what is in flight is lost.
  Duration patience() const;
  // A part sent this long before one that was acknowledged is lost.
  Duration reordering() const { return smoothed_rtt_ / 4; }

private:
  static constexpr std::size_t rounds = 8;

  double bytes_per_s() const;
  bool is_stretched() const;

  bool known_ = false;  // a round trip has been measured
  bool starting_ = true;
  Duration smoothed_rtt_{};
  Duration variation_{};
  Duration min_rtt_{};
  Instant min_rtt_at_;
  std::uint64_t delivered_ = 0;
  Instant delivered_at_;
  std::array<double, rounds> rates_ = {};  // the highest rate of each of the last round trips
  std::size_t round_ = 0;
  Instant round_ends_;
  double rate_before_ = 0;  // while starting: at the end of the last round
  int rounds_without_growth_ = 0;
  std::size_t start_window_ = std::size_t{4} * 1232;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__DELIVERY_RATE_HPP_
