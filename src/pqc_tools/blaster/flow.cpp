// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "flow.hpp"

#include <algorithm>

namespace pqc_tunnel::blaster
{

namespace
{

constexpr std::uint64_t remembered = std::uint64_t{1} << 20;
constexpr std::uint64_t word_bits = 64;

}  // namespace

WindowCounts & WindowCounts::operator+=(const WindowCounts & other)
{
  sent += other.sent;
  received += other.received;
  duplicated += other.duplicated;
  reordered += other.reordered;
  corrupted += other.corrupted;
  longest_gap = std::max(longest_gap, other.longest_gap);
  longest_pause = std::max(longest_pause, other.longest_pause);
  longest_latency = std::max(longest_latency, other.longest_latency);
  return *this;
}

Flow::Flow(std::size_t max_windows, Instant now)
: max_windows_(std::max<std::size_t>(max_windows, 1)), arrived_(remembered / word_bits)
{
  windows_.reserve(max_windows_);
  open_window(now);
}

bool Flow::open_window(Instant now)
{
  if (windows_.size() == max_windows_) {
    return false;
  }
  windows_.push_back({now, next_number_, {}});
  return true;
}

void Flow::handle_sent(Instant now)
{
  WindowCounts & counts = windows_.back().counts;
  ++counts.sent;
  if (last_sent_ != Instant::min()) {
    counts.longest_pause = std::max(counts.longest_pause, now - last_sent_);
  }
  last_sent_ = now;
  unmark(next_number_++);
}

void Flow::handle_arrival(std::uint64_t number, Instant sent, Instant arrived)
{
  if (number >= next_number_ || number + remembered < next_number_) {
    ++unaccountable_;
    return;
  }
  WindowCounts & of_sending = window_of(number);
  if (!mark(number)) {
    ++of_sending.duplicated;
    return;
  }
  ++of_sending.received;
  WindowCounts & of_arrival = window_at(arrived);
  if (number < beyond_highest_) {
    ++of_arrival.reordered;
  }
  beyond_highest_ = std::max(beyond_highest_, number + 1);
  if (last_arrival_ != Instant::min()) {
    const Duration gap = std::max(arrived - last_arrival_, Duration::zero());
    gaps_.add(gap);
    of_arrival.longest_gap = std::max(of_arrival.longest_gap, gap);
  }
  last_arrival_ = std::max(last_arrival_, arrived);
  latencies_.add(arrived - sent);
  of_arrival.longest_latency = std::max(of_arrival.longest_latency, arrived - sent);
}

void Flow::handle_corrupted(Instant arrived) { ++window_at(arrived).corrupted; }

WindowCounts Flow::totals() const
{
  WindowCounts total;
  for (const Window & window : windows_) {
    total += window.counts;
  }
  return total;
}

// The number nearly always belongs to one of the last two windows.
WindowCounts & Flow::window_of(std::uint64_t number)
{
  std::size_t index = windows_.size() - 1;
  while (windows_[index].first_number > number) {
    --index;
  }
  return windows_[index].counts;
}

WindowCounts & Flow::window_at(Instant time)
{
  std::size_t index = windows_.size() - 1;
  while (index > 0 && windows_[index].opened > time) {
    --index;
  }
  return windows_[index].counts;
}

bool Flow::mark(std::uint64_t number)
{
  std::uint64_t & word = arrived_[(number % remembered) / word_bits];
  const std::uint64_t bit = std::uint64_t{1} << (number % word_bits);
  const bool fresh = (word & bit) == 0;
  word |= bit;
  return fresh;
}

void Flow::unmark(std::uint64_t number)
{
  arrived_[(number % remembered) / word_bits] &= ~(std::uint64_t{1} << (number % word_bits));
}

}  // namespace pqc_tunnel::blaster
