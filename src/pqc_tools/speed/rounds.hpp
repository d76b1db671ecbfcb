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
  Duration cap{};           // of each operation's timed part; zero: none
  std::function<Instant()> now;
  std::function<void(std::size_t round)> progress;  // after each; may be empty
  std::function<bool()> stopping;                   // ends the rounds early; may be empty
};

// Times every operation once per round, so that whatever disturbs the machine for a while disturbs
// all of them. A first round isn't timed. The order of the subjects differs from round to round; what is
// done in less than a millisecond is done once untimed before, to find caches as it leaves them.
// Returns how many rounds were complete.
std::size_t run_rounds(std::span<Subject> subjects, const RoundOptions & options);

// What reading the clock adds to a sample, in nanoseconds: the median of many.
double clock_cost(const std::function<Instant()> & now);

}  // namespace pqc_tunnel::speed

#endif  // PQC_TOOLS__SPEED__ROUNDS_HPP_
