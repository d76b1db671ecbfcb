// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__SPEED__REPORT_HPP_
#define PQC_TOOLS__SPEED__REPORT_HPP_

#include <cstddef>
#include <span>
#include <string>

#include "subject.hpp"

namespace pqc_tunnel::speed
{

struct RunFacts
{
  std::size_t count = 0;   // samples requested
  std::size_t rounds = 0;  // complete rounds
  double cap_s = 0;        // zero: none
  double wall_s = 0;
  double clock_ns = 0;  // that reading the clock adds to each sample
};

// Returns one line of JSON. Times are per operation, in nanoseconds.
std::string report_json(std::span<const Subject> subjects, const RunFacts & facts);

// Return the counts of all operations, including untimed ones.
std::uint64_t operations_done(std::span<const Subject> subjects);
std::uint64_t operations_failed(std::span<const Subject> subjects);

}  // namespace pqc_tunnel::speed

#endif  // PQC_TOOLS__SPEED__REPORT_HPP_
