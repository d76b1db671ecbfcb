// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__PAIR__EMPTY_POOL_HPP_
#define SUPPORT__PAIR__EMPTY_POOL_HPP_

#include <utility>

#include "support/pair/wired_pair.hpp"

namespace pqc_tunnel::test
{

// The ground station makes keys when they are asked for, and none ahead.
inline WiredPair::Options with_empty_pool(WiredPair::Options options = {})
{
  options.settings.prekey_pool.max_bytes = 0;
  return options;
}

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__PAIR__EMPTY_POOL_HPP_
