// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__BLASTER__FLOW_HPP_
#define PQC_TOOLS__BLASTER__FLOW_HPP_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "duration_histogram.hpp"
#include "pqc_tunnel/base/time.hpp"

namespace pqc_tunnel::blaster
{

// Counts of one window of time. Sent, received and duplicated datagrams belong to the window they were sent in;
// reordered and corrupted ones, gaps and latencies to the window they arrived in.
struct WindowCounts
{
  std::uint64_t sent = 0;
  std::uint64_t received = 0;  // duplicates not counted
  std::uint64_t duplicated = 0;
  std::uint64_t reordered = 0;  // arrived after a later datagram
  std::uint64_t corrupted = 0;
  Duration longest_gap{};      // between two consecutive arrivals
  Duration longest_pause{};    // between two consecutive sendings
  Duration longest_latency{};  // from sending to arrival

  // Includes datagrams that are still in flight.
  std::uint64_t lost() const { return sent - received; }
  WindowCounts & operator+=(const WindowCounts & other);
};

// Counts one direction of a numbered stream, window by window. Allocates in the constructor only.
class Flow
{
public:
  // Opens a first window.
  Flow(std::size_t max_windows, Instant now);

  // Returns false if there is no room for another window; the last one then continues.
  bool open_window(Instant now);

  // Returns the number of the next datagram, counted from 0.
  std::uint64_t next_number() const { return next_number_; }
  void handle_sent(Instant now);

  void handle_arrival(std::uint64_t number, Instant sent, Instant arrived);
  void handle_corrupted(Instant arrived);

  std::size_t windows() const { return windows_.size(); }
  const WindowCounts & window(std::size_t index) const { return windows_[index].counts; }
  WindowCounts totals() const;
  // Counts datagrams that arrived too late to be checked for duplicates, or that were never sent.
  std::uint64_t unaccountable() const { return unaccountable_; }
  const DurationHistogram & gaps() const { return gaps_; }
  const DurationHistogram & latencies() const { return latencies_; }

private:
  struct Window
  {
    Instant opened;
    std::uint64_t first_number;
    WindowCounts counts;
  };
  WindowCounts & window_of(std::uint64_t number);
  WindowCounts & window_at(Instant time);
  // Records an arrival; returns false if it was recorded already.
  bool mark(std::uint64_t number);
  void unmark(std::uint64_t number);

  std::size_t max_windows_;
  std::vector<Window> windows_;
  std::vector<std::uint64_t> arrived_;  // one bit for each of the newest numbers
  std::uint64_t next_number_ = 0;
  std::uint64_t beyond_highest_ = 0;  // the highest number that arrived, plus 1
  std::uint64_t unaccountable_ = 0;
  Instant last_sent_ = Instant::min();
  Instant last_arrival_ = Instant::min();
  DurationHistogram gaps_;
  DurationHistogram latencies_;
};

}  // namespace pqc_tunnel::blaster

#endif  // PQC_TOOLS__BLASTER__FLOW_HPP_
