// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "process.hpp"

#include <linux/capability.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <string>

#include "crypto/secret.hpp"

namespace pqc_tunnel
{
namespace
{

// Enough for the keys of a large pool, and less than the usual limit of locked memory for a user.
constexpr std::size_t locked_bytes = std::size_t{4} << 20;

std::atomic<bool> may_swap_keys = false;

bool may_lock_without_limit()
{
  rlimit limit{};
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY) {
    return true;
  }
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> held{};
  return ::syscall(SYS_capget, &header, held.data()) == 0 &&
         (held[CAP_TO_INDEX(CAP_IPC_LOCK)].effective & CAP_TO_MASK(CAP_IPC_LOCK)) != 0;
}

bool is_limited(int resource)
{
  rlimit limit{};
  return ::getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

}  // namespace

Result<void> check_address_space(std::size_t bytes)
{
  if (!is_limited(RLIMIT_AS) && !is_limited(RLIMIT_DATA)) {
    return {};
  }
  void * const room = ::mmap(
    nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) {
    return fail(
      ErrorCode::unavailable,
      "The tunnel needs " + std::to_string(bytes >> 20) +
        " MiB of address space, but the limit of this process (ulimit -v or -d) leaves less.");
  }
  ::munmap(room, bytes);
  return {};
}

void protect_secrets()
{
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  may_swap_keys = !reserve_locked_memory(locked_bytes);
}

bool keys_may_be_swapped() { return may_swap_keys; }

void return_freed_memory()
{
  // Keys and signatures of this size live for minutes among short-lived small blocks.
  constexpr int own_mapping = 16 << 10;
  constexpr int unused_top = 128 << 10;
  // NOLINTBEGIN(concurrency-mt-unsafe): this is the only thread yet
  ::mallopt(M_MMAP_THRESHOLD, own_mapping);
  ::mallopt(M_TRIM_THRESHOLD, unused_top);
  // NOLINTEND(concurrency-mt-unsafe)
}

bool lock_memory()
{
  // Under a limit, locking future pages would make later allocations fail.
  return may_lock_without_limit() && ::mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0;
}

}  // namespace pqc_tunnel
