// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "repeated_failure.hpp"

#include <algorithm>
#include <chrono>

namespace pqc_tunnel
{
namespace
{

constexpr Duration patience = std::chrono::seconds(3);  // one end starts before the other
constexpr Duration first_interval = std::chrono::seconds(5);
constexpr Duration longest_interval = std::chrono::minutes(10);

}  // namespace

RepeatedFailure::Entry RepeatedFailure::note(
  const std::string & text, bool mends_itself, Instant now)
{
  if (!failing()) {
    trouble_began_ = now;
  }
  const bool is_new = !failing() || text != text_;
  if (is_new) {
    text_ = text;
    count_ = 0;
    first_ = now;
    next_warning_ = now;
    interval_ = first_interval;
  }
  ++count_;
  if (mends_itself && now < trouble_began_ + patience) {
    return {is_new ? EventSeverity::info : EventSeverity::debug, text};
  }
  std::string counted = text;
  if (count_ > 1) {
    const auto seconds = std::chrono::round<std::chrono::seconds>(now - first_).count();
    counted += " (" + std::to_string(count_) + " times in " + std::to_string(seconds) + " s)";
  }
  if (now < next_warning_) {
    return {EventSeverity::debug, counted};
  }
  next_warning_ = now + interval_;
  interval_ = std::min(2 * interval_, longest_interval);
  return {EventSeverity::warning, counted};
}

}  // namespace pqc_tunnel
