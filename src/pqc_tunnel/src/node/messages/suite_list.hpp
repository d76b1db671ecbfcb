// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NODE__MESSAGES__SUITE_LIST_HPP_
#define PQC_TUNNEL__NODE__MESSAGES__SUITE_LIST_HPP_

#include <pqc_msgs/msg/suite_info.hpp>
#include <vector>

#include "messages.hpp"
#include "protocol/session/settings.hpp"
#include "protocol/session/snapshot.hpp"

namespace pqc_tunnel
{

// Returns every suite of the registry in its order, with the reason why it may not be used.
std::vector<pqc_msgs::msg::SuiteInfo> suite_list(
  const SuitePolicy & policy, const std::vector<BlacklistEntry> & blacklist, const ClockPair & now);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NODE__MESSAGES__SUITE_LIST_HPP_
