// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "peer_names.hpp"

#include <algorithm>

namespace pqc_tunnel
{

namespace
{

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A ROS name begins with a letter and contains letters, digits and single underscores.
std::string ros_name(const std::string & peer)
{
  std::string name;
  for (const char c : peer) {
    if (is_letter(c) || is_digit(c)) {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  return name.empty() || !is_letter(name.front()) ? "drone_" + name : name;
}

}  // namespace

Result<std::vector<std::string>> name_prefixes(const std::vector<std::string> & peers)
{
  if (peers.size() == 1) {
    return std::vector<std::string>{""};
  }
  std::vector<std::string> prefixes;
  for (std::size_t i = 0; i < peers.size(); ++i) {
    prefixes.push_back(ros_name(peers[i]) + "/");
    const auto first = std::find(prefixes.begin(), prefixes.end(), prefixes.back());
    if (first != prefixes.end() - 1) {
      return fail(
        ErrorCode::invalid_argument,
        "The drones " + peers[static_cast<std::size_t>(first - prefixes.begin())] + " and " +
          peers[i] + " would share their ROS names (" + prefixes.back() + "status): rename one.");
    }
  }
  return prefixes;
}

Result<std::string> name_prefix(const std::string & peer, const std::vector<std::string> & taken)
{
  const std::string prefix = ros_name(peer) + "/";
  if (std::find(taken.begin(), taken.end(), prefix) != taken.end()) {
    return fail(
      ErrorCode::invalid_argument, "The drone " + peer +
                                     " would share its ROS names with another (" + prefix +
                                     "status), and has none: rename one.");
  }
  return prefix;
}

}  // namespace pqc_tunnel
