/* Copyright 2026 The PQC-MAV Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Preloaded into a process, sets its real-time clock, and no other, by the seconds in a file. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static const volatile long * set_by(void)
{
  static const volatile long * seconds;
  static const long none;
  if (seconds == NULL) {
    const char * path = getenv("SET_CLOCK_BY");
    const int file = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void * map = mmap(NULL, sizeof(long), PROT_READ, MAP_SHARED, file, 0);
    seconds = map != MAP_FAILED ? map : &none;
  }
  return seconds;
}

int clock_gettime(clockid_t clock, struct timespec * now)
{
  static int (*real)(clockid_t, struct timespec *);
  if (real == NULL) {
    real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  }
  const int result = real(clock, now);
  if (result == 0 && clock == CLOCK_REALTIME) {
    now->tv_sec += *set_by();
  }
  return result;
}

int gettimeofday(struct timeval * now, void * zone)
{
  struct timespec precise;
  (void)zone;
  const int result = clock_gettime(CLOCK_REALTIME, &precise);
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return result;
}

time_t time(time_t * now)
{
  struct timespec precise;
  clock_gettime(CLOCK_REALTIME, &precise);
  if (now != NULL) {
    *now = precise.tv_sec;
  }
  return precise.tv_sec;
}
