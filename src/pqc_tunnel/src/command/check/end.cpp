// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "end.hpp"

#include <vector>

#include "command/tunnels.hpp"
#include "config/parameter_check.hpp"
#include "identity/drone_folder.hpp"

namespace pqc_tunnel::cli
{

namespace fs = std::filesystem;

Result<fs::path> find_file(const std::string & tunnel_or_path)
{
  if (tunnel_or_path.find('/') != std::string::npos || tunnel_or_path.ends_with(".yaml")) {
    return fs::path(tunnel_or_path);
  }
  std::error_code ignored;
  if (!is_tunnel_name(tunnel_or_path) || !fs::exists(config_path(tunnel_or_path), ignored)) {
    return tl::make_unexpected(no_such_tunnel(tunnel_or_path, configured_tunnels()));
  }
  return config_path(tunnel_or_path);
}

std::optional<End> read_end(const fs::path & file, Findings & findings)
{
  const auto values = load_parameter_file(file, default_node);
  const auto role = values.and_then(role_of);
  if (!role) {
    findings.add_problem(role.error().message);
    return std::nullopt;
  }
  std::vector<Error> errors;
  End end;
  end.config = make_engine_config(*role, *values, errors);
  for (const Error & error : errors) {
    findings.add_problem(error.message);
  }
  if (*role == Role::drone) {
    end.plaintexts = {end.config.plaintext};
  } else if (const auto folder = load_drones(end.config.identity_dir, end.config.plaintext)) {
    for (const RegisteredDrone & drone : folder->drones) {
      end.plaintexts.push_back(drone.plaintext);
    }
  }
  std::vector<Error> known;
  end.values = complete_parameters(*role, *values, known);
  return end;
}

}  // namespace pqc_tunnel::cli
