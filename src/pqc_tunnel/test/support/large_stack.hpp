// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__LARGE_STACK_HPP_
#define SUPPORT__LARGE_STACK_HPP_

#include <functional>

namespace pqc_tunnel::test
{

// Runs the function to its end on a thread with the 16 MiB stack that Classic McEliece needs. An
// exception thrown by the function is thrown again here.
void run_with_large_stack(const std::function<void()> & function);

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__LARGE_STACK_HPP_
