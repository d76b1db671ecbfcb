// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NODE__PEER_NAMES_HPP_
#define PQC_TUNNEL__NODE__PEER_NAMES_HPP_

#include <string>
#include <vector>

#include "pqc_tunnel/base/result.hpp"

namespace pqc_tunnel
{

// What each peer's topics and services begin with: nothing for an only peer, "NAME/" for one of
// several. What ROS names can't hold (a digit in front, two underscores together) is replaced.
// Fails if two peers would share a name.
Result<std::vector<std::string>> name_prefixes(const std::vector<std::string> & peers);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NODE__PEER_NAMES_HPP_
