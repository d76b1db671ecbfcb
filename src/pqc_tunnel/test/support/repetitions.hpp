// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__REPETITIONS_HPP_
#define SUPPORT__REPETITIONS_HPP_

namespace pqc_tunnel::test
{

#ifdef PQC_TUNNEL_SANITIZED
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

// How often a test repeats something. Sanitizers look for faults of memory and threads: a tenth shows these, and each
// repetition takes them some ten times as long.
template <typename Count>
constexpr Count repetitions(Count usual)
{
  return sanitized ? (usual + 9) / 10 : usual;
}

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__REPETITIONS_HPP_
