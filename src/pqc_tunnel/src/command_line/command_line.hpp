// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__COMMAND_LINE__COMMAND_LINE_HPP_
#define PQC_TUNNEL__COMMAND_LINE__COMMAND_LINE_HPP_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "net/host_port.hpp"

namespace CLI
{
class App;
class Option;
}  // namespace CLI

namespace pqc_tunnel::cli
{

/// Exit codes of every tool.
inline constexpr int exit_success = 0;
inline constexpr int exit_cannot_run = 1;
inline constexpr int exit_usage = 2;

/// The smallest and largest value that is accepted.
struct NumberRange
{
  std::uint64_t min;
  std::uint64_t max;
};

/// Lets an option take nothing but whole numbers within the range, in digits.
CLI::Option * limit(CLI::Option * option, NumberRange range);

/// Whether HOST:PORT may lack its host, which then is every address.
enum class Host
{
  needed,
  optional,
};
/// Adds an option for HOST:PORT, or [HOST]:PORT for IPv6.
CLI::Option * add_address(
  CLI::App & app, const std::string & name, std::function<void(HostPort)> take,
  const std::string & help, Host host = Host::needed);

/// Parses the words and returns the exit code of `act`. An error becomes one sentence on standard error, with exit code
/// exit_usage if its code is `invalid_argument`, otherwise exit_cannot_run. --help and --version are answered. The last
/// value of an option counts, unless it takes several.
int run_program(
  CLI::App & app, const std::vector<std::string> & words, const std::function<Result<int>()> & act);

using Tool = int (*)(int argc, char ** argv);
/// The main function of a tool: calls protect_secrets(), then the tool. Prints an uncaught exception as one sentence and
/// returns exit_cannot_run.
int tool_main(const char * name, Tool tool, int argc, char ** argv);

}  // namespace pqc_tunnel::cli

#endif  // PQC_TUNNEL__COMMAND_LINE__COMMAND_LINE_HPP_
