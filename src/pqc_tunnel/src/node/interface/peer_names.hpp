// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NODE__INTERFACE__PEER_NAMES_HPP_
#define PQC_TUNNEL__NODE__INTERFACE__PEER_NAMES_HPP_

#include <string>
#include <vector>

#include "base/result.hpp"

namespace pqc_tunnel
{

// Returns the prefix of each peer's topics and services: empty for a single peer, "NAME/" for one of
// several. Replaces characters that ROS names cannot have there (a leading digit, a second
// underscore). Fails if two peers would share a name.
Result<std::vector<std::string>> name_prefixes(const std::vector<std::string> & peers);
// Returns that of a peer which comes later; its prefix must differ from those that are taken.
Result<std::string> name_prefix(const std::string & peer, const std::vector<std::string> & taken);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NODE__INTERFACE__PEER_NAMES_HPP_
