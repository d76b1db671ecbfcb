// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "clock.hpp"

#include <time.h>

#include <chrono>

namespace pqc_tunnel
{

std::int64_t unix_seconds()
{
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now())
    .time_since_epoch()
    .count();
}

Duration thread_time()
{
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

[[gnu::hot]] Instant monotonic_now()
{
  timespec time{};
  ::clock_gettime(CLOCK_BOOTTIME, &time);
  return Instant(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

}  // namespace pqc_tunnel
