// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <iostream>

#include "config/parameter_check.hpp"
#include "end.hpp"
#include "given.hpp"
#include "os/process.hpp"
#include "tunnels.hpp"

namespace pqc_tunnel::cli
{

namespace
{

namespace fs = std::filesystem;

// The file of a tunnel, or a path.
Result<fs::path> find_file(const std::string & given)
{
  if (given.find('/') != std::string::npos || given.ends_with(".yaml")) {
    return fs::path(given);
  }
  std::error_code ignored;
  if (!is_tunnel_name(given) || !fs::exists(config_path(given), ignored)) {
    return tl::make_unexpected(no_such_tunnel(given, configured_tunnels()));
  }
  return config_path(given);
}

// Nothing if the parameters are not those of a drone or a ground station.
std::optional<End> read_end(const fs::path & file, Findings & findings)
{
  const auto values = load_parameter_file(file, default_node);
  const auto role = values.and_then(role_of);
  if (!role) {
    findings.problems.push_back(role.error().message);
    return std::nullopt;
  }
  std::vector<Error> errors;
  End end;
  end.config = make_engine_config(*role, *values, errors);
  for (const Error & error : errors) {
    findings.problems.push_back(error.message);
  }
  findings.warnings = end.config.warnings;
  std::vector<Error> known;
  end.values = complete_parameters(*role, *values, known);
  return end;
}

void print(const fs::path & file, const Findings & findings)
{
  std::cout << file.string() << ":\n";
  for (const std::string & problem : findings.problems) {
    std::cout << "  problem: " << problem << "\n";
  }
  for (const std::string & warning : findings.warnings) {
    std::cout << "  warning: " << warning << "\n";
  }
  for (const std::string & note : findings.notes) {
    std::cout << "  note: " << note << "\n";
  }
  if (findings.problems.empty() && findings.warnings.empty()) {
    std::cout << "  good\n";
  }
}

}  // namespace

Result<int> check(const Given & given)
{
  const auto & rest = given.words;
  protect_secrets();
  const auto file = find_file(rest[0]);
  if (!file) {
    return tl::make_unexpected(file.error());
  }
  Findings findings;
  const auto end = read_end(*file, findings);
  if (end) {
    check_identity(end->config, findings);
    check_sockets(end->config, findings);
    check_plaintext(end->config, findings);
  }
  if (given.peer.empty() && rest.size() < 2) {
    print(*file, findings);
    return findings.problems.empty() ? exit_success : exit_cannot_run;
  }
  const auto peer_file = find_file(given.peer.empty() ? rest.back() : given.peer);
  if (!peer_file) {
    return tl::make_unexpected(peer_file.error());
  }
  Findings of_peer;
  const auto other = read_end(*peer_file, of_peer);
  Findings of_both;
  if (end && other) {
    compare_ends(*end, *other, of_both);
  }
  print(*file, findings);
  print(*peer_file, of_peer);
  print("both ends", of_both);
  const bool good =
    findings.problems.empty() && of_peer.problems.empty() && of_both.problems.empty();
  return good ? exit_success : exit_cannot_run;
}

}  // namespace pqc_tunnel::cli
