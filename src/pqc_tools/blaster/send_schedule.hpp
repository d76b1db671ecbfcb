// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__BLASTER__SEND_SCHEDULE_HPP_
#define PQC_TOOLS__BLASTER__SEND_SCHEDULE_HPP_

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "pqc_tunnel/base/time.hpp"

namespace pqc_tunnel::blaster
{

// Schedules the datagrams of a steady stream, counted from the start so that delays never add up, and measures how well
// the sender keeps to it.
class SendSchedule
{
public:
  SendSchedule(Instant start, std::uint32_t rate_per_s)
  : start_(start), rate_(rate_per_s), slip_limit_(std::max<Duration>(period(), min_slip))
  {
  }

  Duration period() const { return Duration(ns_per_s / rate_); }

  // Returns when the next datagram is due.
  Instant next_due() const { return due(next_); }

  void note_sent(Instant now)
  {
    const Duration late = now - next_due();
    slips_ += late > slip_limit_ ? 1U : 0U;
    latest_ = std::max(latest_, late);
    ++next_;
  }

  // Continues the stream from `now` after a halt of a second or more, and skips the datagrams that were due in it.
  void skip_long_halt(Instant now)
  {
    if (now - next_due() < longest_halt) {
      return;
    }
    while (next_due() < now) {
      ++next_;
      ++skipped_;
    }
  }

  Duration slip_limit() const { return slip_limit_; }
  std::uint64_t slips() const { return slips_; }      // sent later than the limit
  std::uint64_t skipped() const { return skipped_; }  // never sent
  Duration latest() const { return latest_; }

private:
  static constexpr std::int64_t ns_per_s = 1'000'000'000;
  static constexpr Duration min_slip = std::chrono::milliseconds(1);
  static constexpr Duration longest_halt = std::chrono::seconds(1);

  Instant due(std::uint64_t number) const
  {
    const auto whole = static_cast<std::int64_t>(number / rate_);
    const auto rest = static_cast<std::int64_t>(number % rate_);
    return start_ + std::chrono::seconds(whole) + Duration(rest * ns_per_s / rate_);
  }

  Instant start_;
  std::uint32_t rate_;
  Duration slip_limit_;
  std::uint64_t next_ = 0;
  std::uint64_t slips_ = 0;
  std::uint64_t skipped_ = 0;
  Duration latest_{};
};

}  // namespace pqc_tunnel::blaster

#endif  // PQC_TOOLS__BLASTER__SEND_SCHEDULE_HPP_
