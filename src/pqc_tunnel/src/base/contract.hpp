// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__BASE__CONTRACT_HPP_
#define PQC_TUNNEL__BASE__CONTRACT_HPP_

namespace pqc_tunnel
{

// Prints `sentence` and aborts the process if `condition` is false. It guards contracts of functions and library calls
// that must not fail: conditions that no input can cause, and after which frames could leave under a wrong key or none.
void require(bool condition, const char * sentence) noexcept;

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__BASE__CONTRACT_HPP_
