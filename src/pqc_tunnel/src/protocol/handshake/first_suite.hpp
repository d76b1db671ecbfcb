// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__HANDSHAKE__FIRST_SUITE_HPP_
#define PQC_TUNNEL__PROTOCOL__HANDSHAKE__FIRST_SUITE_HPP_

#include <cstddef>
#include <optional>
#include <vector>

#include "base/time.hpp"
#include "crypto/suites/suite.hpp"
#include "protocol/session/settings.hpp"

namespace pqc_tunnel
{

// On a link of known rate a session begins with the configured suite if its messages take no longer than this.
inline constexpr Duration longest_first_exchange = std::chrono::seconds(3);

// Returns the bytes of the largest prekey and Finish of the suite, without frames and anchor.
std::size_t exchange_bytes(const Suite & suite, HandshakeMode mode);

// Returns the suite that a new session begins with: the configured one, unless its messages would take too long on a
// link of `bytes_per_s` (none: unknown). In that case it is the lightest of `usable` that has at least the level of the
// configured one, with its cipher and signature if one of these is lighter (decision 0088).
const Suite & first_suite(
  const Suite & configured, const std::vector<const Suite *> & usable, HandshakeMode mode,
  std::optional<double> bytes_per_s);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__HANDSHAKE__FIRST_SUITE_HPP_
