// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <iostream>

#include "common/tool.hpp"
#include "plain_relay.hpp"
#include "pqc_tunnel/command_line/number_argument.hpp"
#include "pqc_tunnel/command_line/stop_signals.hpp"

namespace pqc_tunnel::cli
{
namespace
{

constexpr const char * usage =
  R"(One end of a tunnel without cryptography, as a baseline. It protects nothing.

  pqc_relay --plaintext HOST:PORT --application HOST:PORT --link HOST:PORT --peer HOST:PORT
            [--unbatched]
      Forwards datagrams that arrive at --plaintext from --link to --peer, and datagrams that
      arrive at --link from --plaintext to --application. --unbatched receives and sends one
      datagram per system call instead of up to 64. SIGINT and SIGTERM end it; it then prints one
      line of JSON.

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
  return options;
}

Result<int> run(const relay::RelayOptions & options)
{
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
     .options = {"--plaintext", "--application", "--link", "--peer"},
     .flags = {"--unbatched"}},
    argc, argv, read_options, run);
}
