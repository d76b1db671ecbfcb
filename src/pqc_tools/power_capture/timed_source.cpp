// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "timed_source.hpp"

#include <sys/timerfd.h>

namespace pqc_tunnel::power
{
namespace
{

constexpr std::int64_t ns_per_s = 1'000'000'000;

}  // namespace

Instant capture_now()
{
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return Instant{Duration(std::int64_t{now.tv_sec} * ns_per_s + now.tv_nsec)};
}

TimedSource::TimedSource(std::uint64_t rate_hz)
: interval_(ns_per_s / static_cast<std::int64_t>(rate_hz)),
  timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC))
{
  itimerspec spec{};
  spec.it_interval = {interval_.count() / ns_per_s, interval_.count() % ns_per_s};
  spec.it_value = {0, 1};
  ::timerfd_settime(timer_.get(), 0, &spec, nullptr);
}

bool TimedSource::take(SampleCounter & counter, const Sink & sink)
{
  std::uint64_t ticks = 0;
  if (::read(timer_.get(), &ticks, sizeof(ticks)) == static_cast<ssize_t>(sizeof(ticks))) {
    const Instant now = capture_now();
    if (const auto sample = counter.ticked(now, ticks, read(now))) {
      sink(*sample);
    }
  }
  return true;
}

}  // namespace pqc_tunnel::power
