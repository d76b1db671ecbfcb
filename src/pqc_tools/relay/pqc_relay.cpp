// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <CLI/CLI.hpp>
#include <iostream>

#include "plain_relay.hpp"
#include "pqc_tunnel/command_line/command_line.hpp"
#include "pqc_tunnel/command_line/stop_signals.hpp"

namespace pqc_tunnel::cli
{
namespace
{

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

int run_tool(int argc, char ** argv)
{
  relay::RelayOptions options;
  CLI::App app(
    "One end of a tunnel without cryptography, as a baseline. It protects nothing.", "pqc_relay");
  app.footer(
    "SIGINT and SIGTERM end it; it then prints one line of JSON.\n"
    "Exit codes: 0 stopped by a signal, 1 cannot run, 2 usage.");
  const auto add = [&app](const char * name, HostPort & into, const char * help) {
    add_address(
      app, name, [&into](HostPort address) { into = std::move(address); }, help)
      ->required();
  };
  add("--plaintext", options.binds[0], "where datagrams of the application arrive");
  add("--link", options.binds[1], "where datagrams of the link arrive");
  add("--application", options.peers[0], "where datagrams from the link go");
  add("--peer", options.peers[1], "where datagrams from the application go");
  bool unbatched = false;
  app.add_flag("--unbatched", unbatched, "one datagram per system call instead of up to 64");
  return run_program(app, {argv + 1, argv + argc}, [&] {
    options.batched = !unbatched;
    return run(options);
  });
}

}  // namespace
}  // namespace pqc_tunnel::cli

int main(int argc, char ** argv)
{
  return pqc_tunnel::cli::tool_main("pqc_relay", pqc_tunnel::cli::run_tool, argc, argv);
}
