// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "contract.hpp"

#include <cstdio>
#include <cstdlib>

namespace pqc_tunnel
{

[[gnu::hot]] void require(bool condition, const char * sentence) noexcept
{
  if (condition) [[likely]] {
    return;
  }
  std::fprintf(stderr, "pqc_tunnel: %s\n", sentence);
  std::abort();
}

}  // namespace pqc_tunnel
