// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

#include <cerrno>
#include <cstdlib>

// Preloaded into a process, sets its real-time clock, and no other, by the seconds (a long) in the file SET_CLOCK_BY.
// A wait for a time of that clock takes longer if it is set back meanwhile, as the kernel's waits do.

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

// glibc keeps there whether the condition variable was made for CLOCK_MONOTONIC.
bool is_monotonic(const pthread_cond_t & condition) { return (condition.__data.__wrefs & 2U) != 0; }

using ClockWait = int (*)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const timespec *);

ClockWait real_wait()
{
  static const auto real =
    reinterpret_cast<ClockWait>(::dlsym(RTLD_NEXT, "pthread_cond_clockwait"));
  return real;
}

bool has_come(const timespec & time)
{
  timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec != time.tv_sec ? now.tv_sec > time.tv_sec : now.tv_nsec >= time.tv_nsec;
}

int wait_until(pthread_cond_t * condition, pthread_mutex_t * mutex, const timespec & time)
{
  constexpr long slice_ns = 10'000'000;
  while (!has_come(time)) {
    timespec slice = {};
    ::clock_gettime(CLOCK_MONOTONIC, &slice);
    slice.tv_nsec += slice_ns;
    if (slice.tv_nsec >= 1'000'000'000) {
      ++slice.tv_sec;
      slice.tv_nsec -= 1'000'000'000;
    }
    if (const int result = real_wait()(condition, mutex, CLOCK_MONOTONIC, &slice);
        result != ETIMEDOUT) {
      return result;
    }
  }
  return ETIMEDOUT;
}

}  // namespace

extern "C" int pthread_cond_timedwait(
  pthread_cond_t * condition, pthread_mutex_t * mutex, const timespec * time)
{
  return is_monotonic(*condition) ? real_wait()(condition, mutex, CLOCK_MONOTONIC, time)
                                  : wait_until(condition, mutex, *time);
}

extern "C" int pthread_cond_clockwait(
  pthread_cond_t * condition, pthread_mutex_t * mutex, clockid_t clock, const timespec * time)
{
  return clock != CLOCK_REALTIME ? real_wait()(condition, mutex, clock, time)
                                 : wait_until(condition, mutex, *time);
}

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
