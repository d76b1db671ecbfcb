// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "pqc_tunnel/os/clock.hpp"

#include <chrono>

namespace pqc_tunnel
{

Instant monotonic_now()
{
  return Instant(
    std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch()));
}

}  // namespace pqc_tunnel
