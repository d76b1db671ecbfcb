// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__OS__CLOCK_HPP_
#define PQC_TUNNEL__OS__CLOCK_HPP_

#include <cstdint>

#include "base/time.hpp"

namespace pqc_tunnel
{

/// Returns the time of CLOCK_BOOTTIME. It counts from an arbitrary start, never goes back, and continues while the
/// machine sleeps, so that datagrams that waited meanwhile are known to be old. Any thread.
Instant monotonic_now();

/// Returns the real time in seconds of Unix, which jumps when the clock is set.
std::int64_t unix_seconds();

/// Returns the processor time that this thread has used.
Duration thread_time();

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__OS__CLOCK_HPP_
