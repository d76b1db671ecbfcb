// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NODE__INTERFACE__PEER_NAMES_HPP_
#define PQC_TUNNEL__NODE__INTERFACE__PEER_NAMES_HPP_

#include <string>
#include <vector>

#include "base/result.hpp"

namespace pqc_tunnel
{

// The prefix of each peer's topics and services: empty for a single peer, "NAME/" for one of
// several. Characters that ROS names can't have there (a leading digit, a second underscore) are
// replaced. Fails if two peers would share a name.
Result<std::vector<std::string>> name_prefixes(const std::vector<std::string> & peers);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NODE__INTERFACE__PEER_NAMES_HPP_
