// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "pqc_tunnel/io/process.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace pqc_tunnel
{

void forbid_core_dumps()
{
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
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
