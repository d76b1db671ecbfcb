// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "arrival_rate.hpp"

#include <algorithm>

namespace pqc_tunnel
{
namespace
{

constexpr Duration resolution = std::chrono::milliseconds(1);
constexpr std::size_t least_bytes = 1500;
// Parts that come together within this time say nothing of the rate, once that is known.
constexpr Duration longest_jitter = std::chrono::milliseconds(50);
// A section is as long as the first of both, but so many round trips at least: a sender grows by the round trip, and
// jitter is short beside it.
constexpr Duration section_time = std::chrono::milliseconds(250);
constexpr std::size_t section_bytes = 32'000;
constexpr int section_round_trips = 3;
constexpr Duration short_round_trip = std::chrono::milliseconds(20);
// Jitter is short beside it.
constexpr Duration shortest_trip = std::chrono::milliseconds(100);
constexpr double growth = 1.1;  // of one section to the next while the sender feels its way
constexpr Duration lifetime = std::chrono::minutes(2);

}  // namespace

double ArrivalRate::Section::rate(Instant now) const
{
  return static_cast<double>(bytes) / in_seconds(std::max(now - begun, resolution));
}

void ArrivalRate::handle_part(std::size_t bytes, Duration round_trip, Instant now)
{
  const bool begins = !last_ || now > *last_ + longest_gap;
  const Duration gap = last_ ? now - *last_ : Duration{};
  last_ = now;
  bytes_ += bytes;
  if (begins) {
    train_.begin(now);
    section_.begin(now);
    trip_.begin(now);
    section_before_ = fastest_trip_ = 0;
    known_ = lasted_ ? rate_.value_or(0) : 0;
    return;
  }
  for (Section * const part_of : {&train_, &section_, &trip_}) {
    part_of->bytes += bytes;
  }
  if (round_trip > Duration{}) {
    round_trips_ += std::chrono::duration<double>(gap) / std::max(round_trip, shortest_trip);
  }
  if (round_trip > Duration{} && now >= trip_.begun + std::max(round_trip, shortest_trip)) {
    fastest_trip_ = std::max(fastest_trip_, trip_.rate(now));
    trip_.begin(now);
  }
  const bool lasts = now >= train_.begun + longest_jitter;
  if (train_.bytes >= least_bytes && (lasts || known_ == 0)) {
    rate_ = std::max({known_, train_.rate(now), fastest_trip_});
    lasted_ = lasted_ || lasts;
  }
  note_section(round_trip, now);
}

// Takes the rate of a section for that of the link if the sender sends no faster than in the one before.
void ArrivalRate::note_section(Duration round_trip, Instant now)
{
  const Duration passed = now - section_.begun;
  // Where round trips are short, the bytes of a section take several of them anyway.
  const Duration least =
    round_trip > short_round_trip ? section_round_trips * round_trip : Duration{};
  const bool is_long = section_.bytes >= section_bytes || passed >= section_time;
  if (!is_long || passed < least || section_.bytes < least_bytes) {
    return;
  }
  const double rate = section_.rate(now);
  if (section_before_ > 0 && rate <= section_before_ * growth) {
    rate_ = known_ = std::max(rate, section_before_);
    fastest_trip_ = 0;
    lasted_ = true;
    filled_ = now;
  }
  section_before_ = rate;
  section_.begin(now);
}

bool ArrivalRate::is_sure(Instant now) const { return filled_ && now < *filled_ + lifetime; }

}  // namespace pqc_tunnel
