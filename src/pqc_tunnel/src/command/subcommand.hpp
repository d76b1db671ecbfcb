// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__COMMAND__SUBCOMMAND_HPP_
#define PQC_TUNNEL__COMMAND__SUBCOMMAND_HPP_

#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "command_line/arguments.hpp"

namespace pqc_tunnel::cli
{

// Completes a word of a command line.
enum class Words
{
  none,
  configured,  // tunnels with a file in the folder of configurations
  running,     // tunnels with a control socket
  running_or_suites,
  suites,
  files,
  roles,
  shells,
};

// A sub-command of `pqc`. Dispatch, help and completion all use the one table.
struct Subcommand
{
  std::string name;  // one word, or two: "identity init"
  std::string arguments;
  std::string summary;
  std::string details;            // further lines of its help
  std::set<std::string> options;  // with a value
  std::set<std::string> flags;
  std::vector<Words> words;  // one for each word that it takes at most
  // Returns the exit code. An error is printed; its exit code is 2 for invalid_argument, otherwise 1. Null: the program
  // pqc-NAME of the package pqc_NAME does it.
  Result<int> (*run)(const Arguments & arguments);
};

std::span<const Subcommand> subcommands();

Result<int> up(const Arguments & arguments);
Result<int> down(const Arguments & arguments);
Result<int> show(const Arguments & arguments);
Result<int> rekey(const Arguments & arguments);
Result<int> wipe(const Arguments & arguments);
Result<int> suites(const Arguments & arguments);
Result<int> check(const Arguments & arguments);
Result<int> identity_init(const Arguments & arguments);
Result<int> identity_add_drone(const Arguments & arguments);
Result<int> identity_anchor(const Arguments & arguments);
Result<int> identity_inspect(const Arguments & arguments);
Result<int> parameters(const Arguments & arguments);
Result<int> completion(const Arguments & arguments);

// For the scripts of completion(): takes the word begun and the words before it, and prints what the word may become, one
// candidate a line.
void print_candidates(const std::vector<std::string> & words);

}  // namespace pqc_tunnel::cli

#endif  // PQC_TUNNEL__COMMAND__SUBCOMMAND_HPP_
