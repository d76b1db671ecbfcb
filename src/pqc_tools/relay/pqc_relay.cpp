// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <iostream>

#include "plain_relay.hpp"
#include "pqc_tunnel/command_line/arguments.hpp"
#include "pqc_tunnel/command_line/number_argument.hpp"
#include "pqc_tunnel/command_line/stop_signals.hpp"
#include "pqc_tunnel/command_line/tool_main.hpp"
#include "pqc_tunnel/os/thread.hpp"

namespace pqc_tunnel::cli
{
namespace
{

constexpr const char * usage =
  R"(One end of a tunnel without cryptography, to compare with. It protects nothing.

  pqc_relay --plaintext HOST:PORT --application HOST:PORT --link HOST:PORT --peer HOST:PORT
            [--unbatched] [--cpu N]
      What comes to --plaintext leaves from --link to --peer, and what comes to --link leaves from
      --plaintext to --application. --unbatched takes and sends one datagram per system call
      instead of up to 64. --cpu keeps it on one core. Ends with SIGINT or SIGTERM and a line of
      JSON.

Exit codes: 0 stopped when told to, 1 can't run, 2 usage.
)";

int refuse(const std::string & message, int code)
{
  std::cerr << "pqc_relay: " << message << "\n";
  return code;
}

Result<relay::RelayOptions> read_options(const Arguments & arguments)
{
  relay::RelayOptions options;
  for (const auto & [name, into] :
       {std::pair{"--plaintext", &options.binds[0]}, std::pair{"--link", &options.binds[1]},
        std::pair{"--application", &options.peers[0]}, std::pair{"--peer", &options.peers[1]}})
  {
    const auto address = address_argument(arguments, name);
    if (!address) {
      return tl::make_unexpected(address.error());
    }
    *into = *address;
  }
  options.batched = !arguments.has("--unbatched");
  return options;
}

int run(const std::vector<std::string> & words)
{
  const auto arguments = Arguments::parse(
    words, {"--plaintext", "--application", "--link", "--peer", "--cpu"},
    {"--unbatched", "--help", "-h"});
  if (!arguments) {
    return refuse(arguments.error().message, exit_usage);
  }
  if (arguments->has("--help") || arguments->has("-h")) {
    std::cout << usage;
    return exit_success;
  }
  if (words.empty() || !arguments->rest().empty()) {
    std::cerr << usage;
    return exit_usage;
  }
  const auto options = read_options(*arguments);
  const auto cpu = number_argument(*arguments, "--cpu", 0, {0, 4095});
  if (!options || !cpu) {
    return refuse((options ? cpu.error() : options.error()).message, exit_usage);
  }
  if (arguments->value("--cpu") && !stay_on_cpu(static_cast<int>(*cpu))) {
    return refuse("The system doesn't allow --cpu " + std::to_string(*cpu) + ".", exit_cannot_run);
  }
  auto opened = relay::PlainRelay::open(*options, catch_stop_signals());
  if (!opened) {
    return refuse(opened.error().message, exit_cannot_run);
  }
  (*opened)->run();
  std::cout << (*opened)->report() << std::endl;
  return exit_success;
}

}  // namespace
}  // namespace pqc_tunnel::cli

int main(int argc, char ** argv)
{
  return pqc_tunnel::cli::tool_main("pqc_relay", argc, argv, pqc_tunnel::cli::run);
}
