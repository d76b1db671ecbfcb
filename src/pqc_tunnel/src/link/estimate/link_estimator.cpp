// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "link_estimator.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace pqc_tunnel
{

namespace
{

constexpr int unit_shift = 10;      // the histogram has units of 1024 ns
constexpr int octave_bin_bits = 4;  // log2 of the bins per octave

// A stream whose first packet has a number below this is assumed to have begun at 0, as the protocol
// says; above it, the earlier packets are not counted as lost.
constexpr std::uint64_t joined_midway = 1024;

}  // namespace

LinkEstimator::LinkEstimator(const LinkEstimatorSettings & settings)
: slot_length_(std::max(settings.window / static_cast<std::int64_t>(slot_count), Duration(1))),
  blackout_(settings.blackout),
  gaps_(slot_count)
{
}

[[gnu::hot]] std::size_t LinkEstimator::bin_of(Duration gap)
{
  const auto units = static_cast<std::uint64_t>(gap.count()) >> unit_shift;
  if (units < octave_bins) return static_cast<std::size_t>(units);
  const auto shift = std::bit_width(units) - 1 - octave_bin_bits;
  const auto bin =
    static_cast<std::size_t>(shift) * octave_bins + static_cast<std::size_t>(units >> shift);
  return std::min(bin, bins - 1);
}

Duration LinkEstimator::middle_of(std::size_t bin)
{
  const auto shift = bin < 2 * octave_bins ? 0 : bin / octave_bins - 1;
  const auto low = static_cast<std::int64_t>(bin - shift * octave_bins) << shift;
  return Duration((low << unit_shift) + (std::int64_t{1} << (shift + unit_shift - 1)));
}

[[gnu::hot]] std::size_t LinkEstimator::slot_at(Instant now)
{
  const auto tick = tick_of(now);
  const auto index = static_cast<std::size_t>(tick) % slot_count;
  Slot & slot = slots_[index];
  if (slot.tick != tick) [[unlikely]] {
    for (std::size_t bin = slot.first_bin; bin <= slot.last_bin; ++bin) {
      all_gaps_[bin] -= std::exchange(gaps_[index][bin], 0);
    }
    slot = Slot{.tick = tick};
  }
  return index;
}

[[gnu::hot]] LinkEstimator::Stream & LinkEstimator::stream_of(std::uint64_t name)
{
  for (auto & stream : streams_) {
    if (stream.name == name) return stream;
  }
  newest_stream_ = 1 - newest_stream_;
  auto & stream = streams_[newest_stream_];
  stream = Stream{.name = name};
  return stream;
}

// Returns how many more packets were sent than earlier packets have shown.
[[gnu::hot]] std::uint64_t LinkEstimator::expect(Stream & stream, std::uint64_t seq)
{
  if (std::exchange(stream.empty, false)) [[unlikely]] {
    stream.lowest = seq < joined_midway ? 0 : seq;
    stream.highest = seq;
    return seq - stream.lowest + 1;
  }
  if (seq < stream.lowest) [[unlikely]] {
    return std::exchange(stream.lowest, seq) - seq;
  }
  return seq > stream.highest ? seq - std::exchange(stream.highest, seq) : 0;
}

[[gnu::hot]] void LinkEstimator::handle_gap(std::size_t index, Duration gap)
{
  Slot & slot = slots_[index];
  const auto bin = static_cast<std::uint16_t>(bin_of(gap));
  ++slot.gaps;
  ++gaps_[index][bin];
  ++all_gaps_[bin];
  slot.first_bin = std::min(slot.first_bin, bin);
  slot.last_bin = std::max(slot.last_bin, bin);
  slot.longest_gap = std::max(slot.longest_gap, gap);
  if (gap > blackout_) ++totals_.blackouts;
  if (previous_gap_) {
    const auto change = static_cast<double>(std::abs((gap - *previous_gap_).count()));
    jitter_ns_ += (change - jitter_ns_) / 16;
  }
  previous_gap_ = gap;
}

[[gnu::hot]] void LinkEstimator::start(Instant now)
{
  if (started_) return;
  started_ = now;
  last_arrival_ = now;
}

[[gnu::hot]] void LinkEstimator::handle_packet(
  std::uint64_t stream_name, std::uint64_t seq, std::size_t bytes, Instant now)
{
  const bool first = totals_.packets == 0;
  const bool waited = started_.has_value();
  start(now);
  now = std::max(now, last_arrival_);

  const auto index = slot_at(now);
  auto & slot = slots_[index];
  if (waited) handle_gap(index, now - last_arrival_);
  if (first) previous_gap_.reset();  // the wait for the first packet is silence, but not spacing
  last_arrival_ = now;

  auto & stream = stream_of(stream_name);
  if (!stream.empty && seq < stream.highest) ++totals_.reordered;
  const auto expected = expect(stream, seq);
  slot.expected += expected;
  expected_ += expected;
  slot.bytes += bytes;
  ++slot.packets;
  ++totals_.packets;
}

LinkView LinkEstimator::view(Instant now) const
{
  auto view = totals_;
  if (!started_) return view;
  now = std::max(now, last_arrival_);
  const auto silence = now - last_arrival_;
  const auto newest = tick_of(now);
  const auto oldest = newest - static_cast<std::int64_t>(slot_count) + 1;

  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
  std::uint64_t expected = 0;
  const std::size_t silent = bin_of(silence);
  std::uint64_t gaps = 1;
  std::size_t bin = silent;  // at last that of the longest gap
  view.longest_silence = silence;
  const auto is_in_window = [&](const Slot & slot) {
    return slot.tick >= oldest && slot.tick <= newest;
  };
  for (const Slot & slot : slots_) {
    if (!is_in_window(slot)) {
      continue;
    }
    gaps += slot.gaps;
    bin = std::max<std::size_t>(bin, slot.last_bin);
    packets += slot.packets;
    bytes += slot.bytes;
    expected += slot.expected;
    view.longest_silence = std::max(view.longest_silence, slot.longest_gap);
  }

  view.window = now - std::max(*started_, Instant(oldest * slot_length_));
  const auto span = in_seconds(std::max(view.window, slot_length_));
  view.packets_per_s = static_cast<double>(packets) / span;
  view.bytes_per_s = static_cast<double>(bytes) / span;
  if (expected > packets) {
    view.loss = static_cast<double>(expected - packets) / static_cast<double>(expected);
  }
  view.lost = expected_ - std::min(expected_, totals_.packets);
  if (silence > blackout_) ++view.blackouts;
  view.jitter = Duration(std::llround(jitter_ns_));

  for (auto longer = gaps - (gaps * 95 + 99) / 100;; --bin) {
    std::uint64_t count = all_gaps_[bin] + (bin == silent ? 1 : 0);
    for (std::size_t index = 0; all_gaps_[bin] > 0 && index < slot_count; ++index) {
      count -= is_in_window(slots_[index]) ? 0 : gaps_[index][bin];
    }
    if (count > longer) {
      break;
    }
    longer -= count;
  }
  const bool off_scale = bin == bins - 1;
  view.gap_p95 = off_scale ? view.longest_silence : std::min(middle_of(bin), view.longest_silence);
  return view;
}

}  // namespace pqc_tunnel
