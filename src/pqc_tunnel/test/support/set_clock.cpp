// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

#include <cstdlib>

// Preloaded into a process, sets its real-time clock, and no other, by the seconds (a long) in the file SET_CLOCK_BY.

namespace
{

const volatile long * find_seconds()
{
  static const long none = 0;
  const char * path = std::getenv("SET_CLOCK_BY");
  const int file = path != nullptr ? ::open(path, O_RDONLY | O_CLOEXEC) : -1;
  void * map = ::mmap(nullptr, sizeof(long), PROT_READ, MAP_SHARED, file, 0);
  return map != MAP_FAILED ? static_cast<const long *>(map) : &none;
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec * now) noexcept
{
  using Function = int (*)(clockid_t, timespec *);
  static const auto real = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "clock_gettime"));
  static const volatile long * const seconds = find_seconds();
  const int result = real(clock, now);
  if (result == 0 && clock == CLOCK_REALTIME) {
    now->tv_sec += *seconds;
  }
  return result;
}

extern "C" int gettimeofday(timeval * __restrict now, void * __restrict /*zone*/) noexcept
{
  timespec precise = {};
  const int result = clock_gettime(CLOCK_REALTIME, &precise);
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return result;
}

extern "C" time_t time(time_t * now) noexcept
{
  timespec precise = {};
  clock_gettime(CLOCK_REALTIME, &precise);
  if (now != nullptr) {
    *now = precise.tv_sec;
  }
  return precise.tv_sec;
}
