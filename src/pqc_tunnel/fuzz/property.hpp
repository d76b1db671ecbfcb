// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PROPERTY_HPP_
#define PROPERTY_HPP_

#include <cstdio>
#include <cstdlib>

namespace pqc_tunnel::fuzz
{

// What must hold for every input; the fuzzer keeps one for which it doesn't.
inline void must(bool holds, const char * property)
{
  if (!holds) {
    std::fprintf(stderr, "this does not hold: %s\n", property);
    std::abort();
  }
}

}  // namespace pqc_tunnel::fuzz

#endif  // PROPERTY_HPP_
