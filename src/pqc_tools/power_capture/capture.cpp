// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "capture.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <ctime>

namespace pqc_tunnel::power
{
namespace
{

constexpr Duration flush_interval = std::chrono::seconds(1);
constexpr int ms_per_flush = 1000;

double utc_s()
{
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

bool input_ended()
{
  std::array<char, 256> ignored;
  return ::read(STDIN_FILENO, ignored.data(), ignored.size()) <= 0;
}

void write_head(
  TraceFile & trace, const Source & source, const CaptureOptions & options, Instant start)
{
  trace.fact("pqc power trace", "1");
  trace.fact("source", source.kind());
  trace.fact("sensor", source.sensor());
  trace.fact("rate_hz", 1.0 / in_seconds(source.interval()));
  trace.fact("power", source.averages() ? "mean since the previous sample" : "momentary");
  trace.fact("monotonic_s", in_seconds(start.time_since_epoch()));
  trace.fact("utc_s", utc_s());
  trace.fact("real_time", options.real_time ? "yes" : "no");
  trace.begin(start);
}

void write_end(
  TraceFile & trace, const Source & source, const SampleCounter & counter, std::string_view why)
{
  const Counts & counts = counter.counts();
  for (const auto & [name, count] :
       {std::pair{"samples", counts.samples}, std::pair{"gaps", counts.gaps},
        std::pair{"missed", counts.missed}, std::pair{"no_answers", counts.no_answers},
        std::pair{"overflows", counts.overflows}, std::pair{"stale", counts.stale}})
  {
    trace.fact(name, std::to_string(count));
  }
  trace.fact("interval_s", in_seconds(counter.interval()));
  trace.fact("step_w", source.step_w());
  trace.fact("step_j", source.step_j());
  trace.fact("ended", why);
}

}  // namespace

Result<Counts> capture(
  Source & source, TraceFile trace, const CaptureOptions & options, const FileDescriptor & signals)
{
  const Instant start = capture_now();
  const Instant end = options.length > Duration::zero() ? start + options.length : Instant::max();
  write_head(trace, source, options, start);
  SampleCounter counter(source.interval());
  const Source::Sink add = [&trace](const Sample & sample) { trace.add(sample); };
  Instant flushed = start;
  bool written = trace.flush();
  const char * why = nullptr;
  while (why == nullptr) {
    std::array<pollfd, 3> waited = {
      {{source.ready(), POLLIN, 0},
       {signals.get(), POLLIN, 0},
       {options.until_input_ends ? STDIN_FILENO : -1, POLLIN, 0}}};
    const Instant now = capture_now();
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - now).count();
    ::poll(
      waited.data(), waited.size(),
      static_cast<int>(std::clamp<std::int64_t>(left, 0, ms_per_flush)));
    const bool there = source.take(counter, add);
    if (waited[1].revents != 0) {
      why = "stopped";
    } else if (waited[2].revents != 0 && input_ended()) {
      why = "input ended";
    } else if (capture_now() >= end) {
      why = "time over";
    } else if (!there) {
      why = "sensor gone";
    }
    if (now - flushed >= flush_interval) {
      flushed = now;
      written = written && trace.flush();
    }
    if (!written) {
      why = "file not written";
    }
  }
  counter.finish();
  write_end(trace, source, counter, why);
  if (!trace.close() || !written) {
    return fail(ErrorCode::unavailable, "The trace could not be written: the disk may be full.");
  }
  return counter.counts();
}

}  // namespace pqc_tunnel::power
