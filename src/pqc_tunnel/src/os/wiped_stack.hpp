// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__OS__WIPED_STACK_HPP_
#define PQC_TUNNEL__OS__WIPED_STACK_HPP_

#include <functional>

namespace pqc_tunnel
{

// Calls the function, and then overwrites what it and everything it called left on this thread's stack. The cost is
// proportional to the part of the stack that was ever used. Exceptions of the function pass through.
void run_on_wiped_stack(const std::function<void()> & function);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__OS__WIPED_STACK_HPP_
