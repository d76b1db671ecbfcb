// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__COMMAND__TUNNELS_HPP_
#define PQC_TUNNEL__COMMAND__TUNNELS_HPP_

#include <yaml-cpp/yaml.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace pqc_tunnel::cli
{

// The tunnels of this machine: those configured, and those with a control socket.

// FOLDER/NAME.yaml; FOLDER is $PQC_CONFIG_DIR, or /etc/pqc.
std::filesystem::path config_path(const std::string & tunnel);
// In the order of their names.
std::vector<std::string> configured_tunnels();
// In the order of their names. A killed tunnel leaves its socket. An error if the folder is another user's.
Result<std::vector<std::string>> running_tunnels();
// A sentence for when there is none; it names those of other users.
std::string no_tunnel_is_up();

// The tunnel to command: the given one, or without a name the only one that runs.
Result<std::string> choose_tunnel(const std::string & given);
// "There is no tunnel …", with the nearest name.
Error no_such_tunnel(const std::string & name, const std::vector<std::string> & known);

// An answer of a tunnel, as received and parsed.
struct Answer
{
  std::string text;
  YAML::Node json;
};
inline constexpr std::chrono::seconds at_once{3};
// Sends a request to a tunnel; see ask().
Result<Answer> request(
  const std::string & tunnel, const std::string & line, std::chrono::seconds limit = at_once);

// The peer of a status: the drone of this name, or without a name the only one. Null, with a sentence, if there is none.
Result<YAML::Node> peer_of(const YAML::Node & status, const std::string & drone);

}  // namespace pqc_tunnel::cli

#endif  // PQC_TUNNEL__COMMAND__TUNNELS_HPP_
