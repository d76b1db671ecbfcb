// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__PAIR__RADIO_PAIR_HPP_
#define SUPPORT__PAIR__RADIO_PAIR_HPP_

#include <algorithm>
#include <array>
#include <deque>
#include <utility>
#include <vector>

#include "link/framing/cobs.hpp"
#include "support/pair/wired_pair.hpp"

namespace pqc_tunnel::test
{

// Two telemetry radios on one frequency, behind serial lines. They take turns (TDM): one sends as long as it has something to
// send, but no longer than a turn. Loss as in the profile sik-57600 of the link emulator, of whole frames.
class RadioPair
{
public:
  struct Settings
  {
    Duration turn = std::chrono::milliseconds(120);
    Duration guard = std::chrono::milliseconds(10);  // between two turns
    double line_bytes_per_s = 5760;                  // between a computer and its radio
    double air_bytes_per_s = 7200;
    std::size_t buffer = 2048;    // bytes in each radio; what exceeds them is lost
    double loss = 0.01;           // of single frames
    double burst_begins = 0.002;  // with a frame; a burst loses all
    double burst_ends = 0.2;
  };

  // Carries the frames of the pair from now on. The pair must outlive it.
  RadioPair(WiredPair & pair, const Settings & settings, std::uint64_t seed)
  : pair_(pair), settings_(settings), dice_(seed), air_free_(pair.now()), turn_ends_(pair.now())
  {
    pair_.set_channel([this](Side from, Bytes & frame) {
      take(from, frame);
      return std::vector<Duration>();
    });
  }

  // Sends what the radios have sent by now. To be called every few milliseconds.
  void advance()
  {
    while (air_free_ <= pair_.now()) {
      End & end = this->end(turn_of_);
      const bool has_frame = !end.waiting.empty() && end.waiting.front().first <= air_free_;
      if (has_frame && air_free_ < turn_ends_) {
        send_next(end);
        continue;
      }
      turn_of_ = other(turn_of_);
      air_free_ += settings_.guard;
      turn_ends_ = air_free_ + settings_.turn;
    }
  }

private:
  struct End
  {
    std::deque<std::pair<Instant, Bytes>> waiting;  // and when the radio has all of it
    std::size_t bytes = 0;
    Instant line_free;
    bool bursting = false;
  };

  static Duration time_for(std::size_t bytes, double bytes_per_s)
  {
    return from_seconds(static_cast<double>(bytes) / bytes_per_s);
  }
  End & end(Side side) { return ends_[side == Side::drone ? 0 : 1]; }

  void take(Side from, const Bytes & frame)
  {
    End & end = this->end(from);
    const std::size_t size = cobs_bound(frame.size());
    if (end.bytes + size > settings_.buffer) {
      return;
    }
    end.bytes += size;
    end.line_free =
      std::max(end.line_free, pair_.now()) + time_for(size, settings_.line_bytes_per_s);
    end.waiting.emplace_back(end.line_free, frame);
  }

  void send_next(End & end)
  {
    const Bytes frame = std::move(end.waiting.front().second);
    end.waiting.pop_front();
    const std::size_t size = cobs_bound(frame.size());
    end.bytes -= size;
    air_free_ += time_for(size, settings_.air_bytes_per_s);
    const double burst = end.bursting ? 1 - settings_.burst_ends : settings_.burst_begins;
    end.bursting = dice_.uniform() < burst;
    if (end.bursting || dice_.uniform() < settings_.loss) {
      return;
    }
    const Instant arrival = air_free_ + time_for(size, settings_.line_bytes_per_s);
    pair_.deliver_later(
      other(turn_of_), frame, WiredPair::address_of(turn_of_),
      std::max(Duration{}, arrival - pair_.now()));
  }

  WiredPair & pair_;
  Settings settings_;
  SeededRandom dice_;
  std::array<End, 2> ends_;
  Side turn_of_ = Side::drone;
  Instant air_free_;
  Instant turn_ends_;
};

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__PAIR__RADIO_PAIR_HPP_
