// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__OS__CLOCK_HPP_
#define PQC_TUNNEL__OS__CLOCK_HPP_

#include "pqc_tunnel/base/time.hpp"

namespace pqc_tunnel
{

/// The current time of CLOCK_MONOTONIC: counts from an arbitrary start and never goes back. Any thread.
Instant monotonic_now();

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__OS__CLOCK_HPP_
