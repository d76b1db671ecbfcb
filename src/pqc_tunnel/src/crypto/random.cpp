// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "random.hpp"

#include <sys/random.h>

#include <cerrno>
#include <cstddef>

#include "base/contract.hpp"

namespace pqc_tunnel
{

void SystemRandom::fill(MutableBytes out)
{
  while (!out.empty()) {
    const auto got = ::getrandom(out.data(), out.size(), 0);
    require(got >= 0 || errno == EINTR, "the system's random generator failed");
    if (got > 0) {
      out = out.subspan(static_cast<std::size_t>(got));
    }
  }
}

}  // namespace pqc_tunnel
