// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__IO__PROCESS_HPP_
#define PQC_TUNNEL__IO__PROCESS_HPP_

namespace pqc_tunnel
{

// Keeps keys out of core files, away from debuggers of the same user and, as far as the system
// allows, out of swap space. For the programs, before they hold any. False if keys may be swapped out.
bool protect_secrets();

inline constexpr const char * unlocked_keys =
  "The system doesn't allow to lock memory (RLIMIT_MEMLOCK); keys may be swapped out.";

// Keeps the process's pages in memory as they are touched. False if the system doesn't allow it.
bool lock_memory();

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__IO__PROCESS_HPP_
