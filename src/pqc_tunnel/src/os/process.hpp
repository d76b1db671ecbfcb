// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__OS__PROCESS_HPP_
#define PQC_TUNNEL__OS__PROCESS_HPP_

#include <cstddef>

#include "base/result.hpp"

namespace pqc_tunnel
{

/// Returns an error if the limits of this process (ulimit -v and -d) leave less address space than `bytes`.
/// Call it at start: libraries that run out of memory in mid-operation abort.
Result<void> check_address_space(std::size_t bytes);

/// Keeps keys out of core files, away from debuggers of the same user and, as far as the system allows, out of
/// swap space. Each program calls it before it loads keys.
void protect_secrets();

/// Returns true if protect_secrets() got no locked memory.
bool keys_may_be_swapped();

/// Makes the allocator return large blocks to the system as soon as they are freed, by a mapping of their own. By
/// default glibc keeps ever larger ones after the first long key. Call it before threads start.
void return_freed_memory();

/// Locks the pages of this process in memory once they are touched. Returns false if the system does not allow
/// it.
bool lock_memory();

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__OS__PROCESS_HPP_
