// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "wiped_stack.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace pqc_tunnel
{
namespace
{

// The function runs so far below its caller that the wiping code has room for its own frames.
constexpr std::size_t gap = std::size_t{32} << 10;
// So much stays in memory for the next call; the rest returns to the system.
constexpr std::size_t kept = std::size_t{256} << 10;

struct Range
{
  std::uintptr_t begin;
  std::uintptr_t end;
};

// Returns the stack of this thread, without its guard.
Range stack()
{
  pthread_attr_t attributes;
  void * lowest = nullptr;
  std::size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
    return {0, 0};
  }
  pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  const auto begin = reinterpret_cast<std::uintptr_t>(lowest);
  return {begin, begin + size};
}

// NOLINTBEGIN(performance-no-int-to-ptr): the stack is a range of addresses

// Overwrites with plain stores, because a called function would have its frame in the range.
__attribute__((noinline, no_sanitize("address", "thread"))) void overwrite(
  std::uintptr_t begin, std::uintptr_t end)
{
  for (auto * at = reinterpret_cast<volatile std::uint64_t *>(begin);
       reinterpret_cast<std::uintptr_t>(at) < end; ++at)
  {
    *at = 0;
  }
}

// Wipes from the top down. It skips pages that were never touched, which touching would allocate for good. The stack of
// the first thread ends where nothing is mapped.
void wipe(Range range)
{
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  constexpr std::size_t at_once = 4096;
  std::array<unsigned char, at_once> resident = {};
  std::uintptr_t end = range.end / page * page;
  std::size_t pages = at_once;
  while (end >= range.begin + page) {
    pages = std::min<std::size_t>(pages, (end - range.begin) / page);
    const std::uintptr_t begin = end - pages * page;
    if (::mincore(reinterpret_cast<void *>(begin), pages * page, resident.data()) != 0) {
      if (pages == 1) {
        return;
      }
      pages = 1;
      continue;
    }
    for (std::size_t i = 0; i < pages; ++i) {
      if ((resident[i] & 1) != 0) {
        overwrite(begin + i * page, begin + (i + 1) * page);
      }
    }
    if (range.end - begin > kept) {
      // Returns megabytes after Classic McEliece. Locked memory stays.
      ::madvise(
        reinterpret_cast<void *>(begin), std::min(end, (range.end - kept) / page * page) - begin,
        MADV_DONTNEED);
    }
    end = begin;
  }
}

// NOLINTEND(performance-no-int-to-ptr)

// The assembler statements keep the compiler from shrinking `room` or freeing it before the call.
__attribute__((noinline)) void call_below(const std::function<void()> & function)
{
  std::array<char, gap> room;  // NOLINT: nobody reads it
  asm volatile("" : : "r"(room.data()) : "memory");
  function();
  asm volatile("" : : "r"(room.data()) : "memory");
}

// Wipes at the end of the scope, also after an exception.
class Wiper
{
public:
  explicit Wiper(Range range) : range_(range) {}
  ~Wiper() { wipe(range_); }
  Wiper(const Wiper &) = delete;
  Wiper & operator=(const Wiper &) = delete;

private:
  Range range_;
};

}  // namespace

void run_on_wiped_stack(const std::function<void()> & function)
{
  const Range all = stack();
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const Wiper wiper({all.begin, std::max(all.begin, here - gap / 2)});
  call_below(function);
}

}  // namespace pqc_tunnel
