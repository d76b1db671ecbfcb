// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "first_suite.hpp"

#include <tuple>

#include "key_messages.hpp"

namespace pqc_tunnel
{

std::size_t exchange_bytes(const Suite & suite, HandshakeMode mode)
{
  return prekey_size(suite, mode).max + finish_size(suite, mode).max;
}

const Suite & first_suite(
  const Suite & configured, const std::vector<const Suite *> & usable, HandshakeMode mode,
  std::optional<double> bytes_per_s)
{
  const std::size_t most = exchange_bytes(configured, mode);
  if (
    !bytes_per_s || static_cast<double>(most) <= *bytes_per_s * in_seconds(longest_first_exchange))
  {
    return configured;
  }
  const Suite * best = &configured;
  std::tuple least(true, true, most);
  for (const Suite * suite : usable) {
    const std::size_t bytes = exchange_bytes(*suite, mode);
    const std::tuple cost(
      suite->aead != configured.aead, suite->signature != configured.signature, bytes);
    if (suite->level >= configured.level && bytes < most && cost < least) {
      best = suite;
      least = cost;
    }
  }
  return *best;
}

}  // namespace pqc_tunnel
