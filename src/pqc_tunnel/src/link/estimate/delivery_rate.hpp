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

// Estimates how fast a link delivers, and limits how much may be in flight, as BBR does (Cardwell et al., ACM Queue
// 14(5), 2016). Unlike BBR it yields, as LEDBAT does (RFC 6817): the more its parts queue, the less it sends, so that
// data beside it waits for a few milliseconds only.
class DeliveryRate
{
public:
  // The state when a part left.
  struct Mark
  {
    Instant sent;
    std::uint64_t delivered = 0;
    Instant delivered_at;
    bool is_last = false;  // nothing waited behind it, so that it tells little about the rate
    bool yields = false;   // data beside it comes first
  };

  // `idle`: nothing is in flight.
  Mark mark(bool idle, bool is_last, bool yields, Instant now) const;
  // `bytes` have been acknowledged for the first time.
  void handle_delivered(std::size_t bytes, Instant now);
  // The part that left with this mark has been acknowledged, and no part that left later. `waited`: how long the
  // receiver held the acknowledgement back.
  void handle_answer(const Mark & mark, Duration waited, Instant now);
  // A part has finally arrived, or is lost for good.
  void handle_arrived();
  void handle_lost();
  // Nothing was acknowledged for a long time. The link may have another rate when it comes back.
  void handle_silence();

  // True once a round trip has been measured.
  bool known() const { return known_; }
  // Returns how many bytes may be in flight.
  std::size_t window() const;
  // Returns the size of a part, at least 256 bytes, that is so short on the air that data beside it waits little.
  std::size_t brief_part() const;
  // Returns the pause after a part of this size.
  Duration pause(std::size_t bytes) const;
  // Returns after how long without an acknowledgement the bytes in flight are probably lost. `silences`: how many such
  // times have passed in a row before this one.
  Duration patience(int silences) const;
  // Returns how long before an acknowledged part another one must have left to count as lost.
  Duration reordering() const { return smoothed_rtt_ / 4; }

private:
  static constexpr std::size_t rounds = 8;

  double bytes_per_s() const;
  std::size_t least_window() const;
  // Returns how long parts wait in queues. The least of several round trips excludes jitter.
  Duration queue() const;
  Duration allowed_queue() const;
  void note_queue(Duration rtt, Instant now);
  double gain() const;
  double arriving() const;

  bool known_ = false;
  bool starting_ = true;
  bool start_yields_ = false;
  int doubtful_ = 0;  // rounds in which a queue that ended the start may turn out to be jitter
  int resumed_ = 0;   // rounds in which no queue ends the resumed start
  Duration smoothed_rtt_{};
  Duration variation_{};
  Duration min_rtt_{};
  Instant min_rtt_at_;
  std::optional<Instant> draining_until_;  // until then the least window lets the queue drain
  Duration newest_rtt_{};                  // least of the fraction of a round trip under way
  Duration recent_rtt_{};                  // least of the fraction before that
  int newest_count_ = 0;
  Instant newest_until_;
  double loss_ = 0;
  std::uint64_t delivered_ = 0;
  Instant delivered_at_;
  std::array<double, rounds> rates_ = {};  // the highest rate of each of the last round trips
  std::size_t round_ = 0;
  Instant round_ends_;
  double rate_before_ = 0;  // while starting: at the end of the last round that raised it
  int rounds_without_growth_ = 0;
  std::size_t start_window_ = 4 * universal_payload;
  std::uint64_t grown_at_ = 0;  // delivered_ when the start window grew last
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__ESTIMATE__DELIVERY_RATE_HPP_
