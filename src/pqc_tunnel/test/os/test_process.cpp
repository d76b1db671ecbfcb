// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "os/process.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <cstdlib>

namespace pqc_tunnel
{
namespace
{

// In a process of its own: there is no way back.
template <class Function>
void expect_in_a_child(Function && function)
{
  EXPECT_EXIT(std::_Exit(function() ? 0 : 1), testing::ExitedWithCode(0), "");
}

TEST(ProtectedProcess, dumps_no_core_and_its_user_may_not_read_its_memory)
{
  expect_in_a_child([] {
    const bool dumpable_before = ::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 1;
    protect_secrets();
    return dumpable_before && ::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0;
  });
  expect_in_a_child([] {
    protect_secrets();
    rlimit limit{1, 1};
    return ::getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur == 0 && limit.rlim_max == 0;
  });
}

}  // namespace
}  // namespace pqc_tunnel
