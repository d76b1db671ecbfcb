// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__COMMAND__GIVEN_HPP_
#define PQC_TUNNEL__COMMAND__GIVEN_HPP_

#include <string>
#include <vector>

#include "base/result.hpp"
#include "command_line/command_line.hpp"

namespace pqc_tunnel::cli
{

// The values that a command line gives; each sub-command uses a part of them.
struct Given
{
  std::vector<std::string> words;  // those that belong to no option
  std::vector<std::string> drones;
  std::string out;
  std::string signatures = "all";
  std::string drone_signatures = "none";
  std::string anchor = "3";
  std::size_t one_time = 16;
  std::string date;
  std::size_t overlap_days = 30;
  std::string take;
  std::string identity;
  std::string code;
  bool signing = false;
  bool again = false;
  std::string peer;
  std::string from;
  std::string proc_root = "/proc";
  std::string sys_root = "/sys";
  std::size_t count = 5;
  bool json = false;
  bool algorithms = false;
  bool path_mtu = false;
  bool rotate = false;
  bool at_drone = false;
  bool ratchet = false;
  bool one_time_key = false;

  // Returns the name of the tunnel; empty if it is left out, because only one runs.
  std::string tunnel() const { return words.empty() ? "" : words.front(); }
};

// Runs the command line of pqc; returns the exit code.
int run_pqc(const std::vector<std::string> & words);

// The sub-commands. Each returns the exit code, or what went wrong.
Result<int> up(const Given & given);
Result<int> down(const Given & given);
Result<int> show(const Given & given);
Result<int> rekey(const Given & given);
Result<int> prefetch(const Given & given);
Result<int> wipe(const Given & given);
Result<int> ping(const Given & given);
Result<int> reload(const Given & given);
Result<int> suites(const Given & given);
Result<int> deploy(const Given & given);
Result<int> check(const Given & given);
Result<int> doctor(const Given & given);
Result<int> identity_init(const Given & given);
Result<int> identity_add_drone(const Given & given);
Result<int> identity_anchor(const Given & given);
Result<int> identity_inspect(const Given & given);
Result<int> identity_rotate(const Given & given);
Result<int> identity_revoke(const Given & given);
Result<int> identity_expire(const Given & given);
Result<int> identity_list(const Given & given);
Result<int> pair(const Given & given);
Result<int> parameters(const Given & given);
Result<int> completion(const Given & given);

}  // namespace pqc_tunnel::cli

#endif  // PQC_TUNNEL__COMMAND__GIVEN_HPP_
