// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__BASE__CONTRACT_HPP_
#define PQC_TUNNEL__BASE__CONTRACT_HPP_

namespace pqc_tunnel
{

// Ends the process with one sentence if a caller broke the contract of a function, or if a library call failed that
// cannot fail. Only for conditions that no input can cause, where the alternative is to send under a wrong key or none.
void require(bool condition, const char * sentence) noexcept;

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__BASE__CONTRACT_HPP_
