// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__SPEED__ROUNDS_HPP_
#define PQC_TOOLS__SPEED__ROUNDS_HPP_

#include <functional>
#include <span>

#include "pqc_tunnel/base/time.hpp"
#include "subject.hpp"

namespace pqc_tunnel::speed
{

struct RoundOptions
{
  std::size_t count = 200;  // samples of each operation
  Duration cap{};           // limit of the timed time of each operation; zero: none
  std::function<Instant()> now;
  std::function<void(std::size_t round)> progress;  // called after each round; may be empty
  std::function<bool()> stopping;                   // ends the rounds early; may be empty
};

// Times every operation once per round, so that a disturbance of the machine affects all of them. A first round is not
// timed. The order of the subjects differs from round to round. An operation shorter than a millisecond runs once untimed
// before each sample, to warm the caches. Returns how many rounds were complete.
std::size_t run_rounds(std::span<Subject> subjects, const RoundOptions & options);

// Returns the nanoseconds that reading the clock adds to a sample: the median of many readings.
double clock_cost(const std::function<Instant()> & now);

}  // namespace pqc_tunnel::speed

#endif  // PQC_TOOLS__SPEED__ROUNDS_HPP_
