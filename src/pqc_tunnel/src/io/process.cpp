// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "pqc_tunnel/io/process.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>

#include "pqc_tunnel/core/secret.hpp"

namespace pqc_tunnel
{
namespace
{

// Enough for a large hello pool, and within what systems let a user lock.
constexpr std::size_t locked_bytes = std::size_t{4} << 20;

}  // namespace

void protect_secrets()
{
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  reserve_locked_memory(locked_bytes);
}

bool lock_memory()
{
  rlimit limit{};
  // Under a limit, locking what comes later would make later allocations fail.
  const bool unlimited = ::geteuid() == 0 || (::getrlimit(RLIMIT_MEMLOCK, &limit) == 0 &&
                                              limit.rlim_cur == RLIM_INFINITY);
  return unlimited && ::mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0;
}

}  // namespace pqc_tunnel
