// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__LINK__ESTIMATE__LINK_ESTIMATOR_HPP_
#define PQC_TUNNEL__LINK__ESTIMATE__LINK_ESTIMATOR_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.hpp"

namespace pqc_tunnel
{

// The reception at one end. Every member is zero until it has been measured.
struct LinkView
{
  // Measured over the window. Rates cover at least a twentieth of the configured window.
  Duration window{};  // time covered, at most the configured window; shorter just after the start
  double packets_per_s = 0;
  double bytes_per_s = 0;
  Duration gap_p95{};          // between arrivals, ± 5 %; the present silence counts as a gap
  Duration longest_silence{};  // exact; includes the present silence
  double loss = 0;             // 0 to 1; a late packet counts as lost until it comes

  // Smoothed as in RFC 3550 section 6.4.1, but from the gaps between arrivals, since
  // packets carry no sending time: J += (|gap - previous gap| - J) / 16.
  Duration jitter{};

  // Counted since the start.
  std::uint32_t blackouts = 0;   // silences beyond the threshold, with the present one
  std::uint64_t packets = 0;     // distinct
  std::uint64_t lost = 0;        // missing so far; a late packet lowers it again
  std::uint64_t reordered = 0;   // arrived after a packet that was sent later
  std::uint64_t duplicates = 0;  // refused as seen before; not in the counts above
};

struct LinkEstimatorSettings
{
  Duration window = std::chrono::seconds(5);
  Duration blackout = std::chrono::seconds(1);
};

// Measures one direction of a link from its authenticated packets. The caller's replay window refuses
// repeats, which count as duplicates only. The window slides in steps of a twentieth.
// handle_packet takes constant time and never allocates.
//
// A stream is a run of sequence numbers from 0, that is, one epoch of one session; the caller names
// it. The estimator follows the last two, so that packets of an old and a new key may interleave
// during a rekey.
class LinkEstimator
{
public:
  explicit LinkEstimator(const LinkEstimatorSettings & settings = {});

  // Counts silence from now on, even before the first packet. Later calls change nothing.
  void start(Instant now);

  void handle_packet(std::uint64_t stream, std::uint64_t seq, std::size_t bytes, Instant now);
  void handle_duplicate() { ++totals_.duplicates; }

  LinkView view(Instant now) const;

private:
  // The scale of gaps is logarithmic up to a minute, 16 bins per octave, and linear below 16 µs.
  static constexpr std::size_t octave_bins = 16;
  static constexpr std::size_t octaves = 22;
  static constexpr std::size_t bins = octave_bins * (octaves + 1);
  static constexpr std::size_t slot_count = 20;
  using Histogram = std::array<std::uint32_t, bins>;

  struct Slot
  {
    std::int64_t tick = -1;
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;
    std::uint64_t expected = 0;
    std::uint64_t gaps = 0;
    Duration longest_gap{};
    // Bins outside these are zero and need no look.
    std::uint16_t first_bin = bins;
    std::uint16_t last_bin = 0;
  };

  struct Stream
  {
    std::optional<std::uint64_t> name;
    bool empty = true;
    std::uint64_t lowest = 0;
    std::uint64_t highest = 0;
  };

  static std::size_t bin_of(Duration gap);
  static Duration middle_of(std::size_t bin);

  Stream & stream_of(std::uint64_t name);
  static std::uint64_t expect(Stream & stream, std::uint64_t seq);
  void handle_gap(std::size_t slot, Duration gap);
  std::size_t slot_at(Instant now);
  std::int64_t tick_of(Instant now) const { return now.time_since_epoch() / slot_length_; }

  Duration slot_length_;
  Duration blackout_;
  std::array<Slot, slot_count> slots_;  // a ring by tick
  std::vector<Histogram> gaps_;         // by slot, allocated once
  Histogram all_gaps_{};  // of all slots: views are taken far more often than slots end
  std::array<Stream, 2> streams_;
  std::size_t newest_stream_ = 0;
  std::optional<Instant> started_;
  Instant last_arrival_;  // or the start, before the first one
  std::optional<Duration> previous_gap_;
  double jitter_ns_ = 0;
  std::uint64_t expected_ = 0;
  LinkView totals_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__ESTIMATE__LINK_ESTIMATOR_HPP_
