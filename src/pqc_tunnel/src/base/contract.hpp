// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__BASE__CONTRACT_HPP_
#define PQC_TUNNEL__BASE__CONTRACT_HPP_

namespace pqc_tunnel
{

// Ends the process with one sentence if a caller broke a function's contract, or a library failed
// where it cannot. For conditions no input can bring about: going on would mean sending under a
// wrong key or none.
void require(bool condition, const char * sentence) noexcept;

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__BASE__CONTRACT_HPP_
