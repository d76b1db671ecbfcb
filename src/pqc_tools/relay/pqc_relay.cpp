// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <iostream>

#include "common/tool.hpp"
#include "plain_relay.hpp"
#include "pqc_tunnel/command_line/number_argument.hpp"
#include "pqc_tunnel/command_line/stop_signals.hpp"
#include "pqc_tunnel/os/thread.hpp"

namespace pqc_tunnel::cli
{
namespace
{

constexpr const char * usage =
  R"(One end of a tunnel without cryptography, as a baseline. It protects nothing.

  pqc_relay --plaintext HOST:PORT --application HOST:PORT --link HOST:PORT --peer HOST:PORT
            [--unbatched] [--cpu N]
      Forwards datagrams that arrive at --plaintext from --link to --peer, and datagrams that
      arrive at --link from --plaintext to --application. --unbatched receives and sends one
      datagram per system call instead of up to 64. --cpu pins it to one core. SIGINT and SIGTERM
      end it; it then prints one line of JSON.

Exit codes: 0 stopped by a signal, 1 cannot run, 2 usage.
)";

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
  const auto cpu = number_argument(arguments, "--cpu", 0, {0, 4095});
  if (!cpu) {
    return tl::make_unexpected(cpu.error());
  }
  if (arguments.value("--cpu")) {
    options.cpu = static_cast<int>(*cpu);
  }
  return options;
}

Result<int> run(const relay::RelayOptions & options)
{
  if (options.cpu && !stay_on_cpu(*options.cpu)) {
    return fail(
      ErrorCode::permission,
      "The system does not allow --cpu " + std::to_string(*options.cpu) + ".");
  }
  auto opened = relay::PlainRelay::open(options, catch_stop_signals());
  if (!opened) {
    return tl::make_unexpected(opened.error());
  }
  (*opened)->run();
  std::cout << (*opened)->report() << std::endl;
  return exit_success;
}

}  // namespace
}  // namespace pqc_tunnel::cli

int main(int argc, char ** argv)
{
  using namespace pqc_tunnel::cli;
  return tool_main(
    {.name = "pqc_relay",
     .usage = usage,
     .options = {"--plaintext", "--application", "--link", "--peer", "--cpu"},
     .flags = {"--unbatched"}},
    argc, argv, read_options, run);
}
