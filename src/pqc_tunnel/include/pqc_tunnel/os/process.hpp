// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__OS__PROCESS_HPP_
#define PQC_TUNNEL__OS__PROCESS_HPP_

#include <cstddef>

#include "pqc_tunnel/base/result.hpp"

namespace pqc_tunnel
{

// An error if the limits of this process (ulimit -v and -d) leave less address space than that. To
// be asked before the start: libraries that get no memory in mid-operation can only abort.
Result<void> check_address_space(std::size_t bytes);

// Keeps keys out of core files, away from debuggers of the same user and, as far as the system
// allows, out of swap space. For the programs, before they hold any.
void protect_secrets();

// protect_secrets() was refused locked memory.
bool keys_may_be_swapped();

// Keeps the process's pages in memory as they are touched. False if the system doesn't allow it.
bool lock_memory();

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__OS__PROCESS_HPP_
