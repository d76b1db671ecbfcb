// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__HANDSHAKE__SUITE_OBJECTION_HPP_
#define PQC_TUNNEL__PROTOCOL__HANDSHAKE__SUITE_OBJECTION_HPP_

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "crypto/suites/suite.hpp"
#include "protocol/session/settings.hpp"
#include "protocol/wire/identity.hpp"

namespace pqc_tunnel
{

// Why this end can't use the suite; empty if it can. The one place that checks suites, at the start and for rekeys.
std::string suite_objection(
  const Suite & suite, const TunnelSettings & settings, const DroneIdentity & identity);
// `former`: with the signing keys before the present ones.
std::string suite_objection(
  const Suite & suite, const TunnelSettings & settings, const GcsIdentity & identity,
  bool former = false);

// The suite with this id. The error names the nearest one of those that would be accepted.
Result<const Suite *> find_suite(std::string_view id, const std::vector<const Suite *> & usable);
// The same where nobody knows which are accepted: the error names the nearest one that needs no permission.
Result<const Suite *> find_suite(std::string_view id);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__HANDSHAKE__SUITE_OBJECTION_HPP_
