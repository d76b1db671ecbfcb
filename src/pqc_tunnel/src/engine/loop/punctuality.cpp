// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "punctuality.hpp"

#include <cmath>

namespace pqc_tunnel
{
namespace
{

constexpr Duration memory = std::chrono::seconds(10);
constexpr Duration report_interval = std::chrono::seconds(10);
constexpr double much = 0.5;  // share of time in which a program waits for a processor

std::string seconds(Duration time)
{
  const auto tenths = std::llround(in_seconds(time) * 10);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

}  // namespace

void Punctuality::handle_standstill(
  Duration stood, std::optional<Duration> processor_wait, Instant now)
{
  if (!waited_ || !processor_wait) {
    standstill_ =
      "this program stood still for " + seconds(stood) + " (stopped, or this machine is too busy)";
  } else if (const Duration waited = *processor_wait - *waited_; waited > stood / 2) {
    standstill_ = "this machine is too busy: this program got no processor for " + seconds(stood);
  } else {
    standstill_ = "this program was stopped for " + seconds(stood) + ", or this machine slept";
  }
  waited_ = processor_wait;
  standstill_until_ = now + memory;
}

bool Punctuality::take_report(Instant now)
{
  if (now < next_report_) {
    return false;
  }
  next_report_ = now + report_interval;
  return true;
}

std::string Punctuality::trouble(Instant now) const
{
  if (now < standstill_until_) {
    return standstill_;
  }
  return pressure_ && *pressure_ >= much ? "this machine is busy: its programs wait for a processor"
                                         : "";
}

}  // namespace pqc_tunnel
