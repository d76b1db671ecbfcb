// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <CLI/CLI.hpp>

#include "plain_relay.hpp"
#include "pqc_tunnel/command_line/command_line.hpp"
#include "pqc_tunnel/command_line/stop_signals.hpp"

namespace pqc_tunnel::cli
{
namespace
{

Result<int> run(const relay::RelayOptions & options)
{
  const std::size_t drones = options.plaintexts.size();
  if (options.applications.size() != drones || options.peers.size() != drones) {
    return fail(
      ErrorCode::invalid_argument,
      "Each drone needs a --plaintext, an --application and a --peer.");
  }
  auto opened = relay::PlainRelay::open(options, catch_stop_signals());
  if (!opened) {
    return tl::make_unexpected(opened.error());
  }
  (*opened)->run();
  return exit_success;
}

int run_tool(int argc, char ** argv)
{
  relay::RelayOptions options;
  CLI::App app(
    "One end of a tunnel without cryptography, as a baseline. It protects nothing.", "pqc_relay");
  app.footer(
    "Several drones: give --plaintext, --application and --peer of each, in the same order.\n"
    "SIGINT and SIGTERM end it.\n"
    "Exit codes: 0 stopped by a signal, 1 cannot run, 2 usage.");
  add_address(
    app, "--link", [&options](HostPort address) { options.link = std::move(address); },
    "where datagrams of the link arrive")
    ->required();
  const auto add = [&app](const char * name, std::vector<HostPort> & into, const char * help) {
    add_address(
      app, name, [&into](HostPort address) { into.push_back(std::move(address)); }, help)
      ->required()
      ->trigger_on_parse();
  };
  add("--plaintext", options.plaintexts, "where datagrams of the application arrive");
  add("--application", options.applications, "where datagrams from the link go");
  add("--peer", options.peers, "where datagrams from the application go");
  app.add_flag("--unbatched{false}", options.batched, "one datagram per system call, not up to 64");
  return run_program(app, {argv + 1, argv + argc}, [&] { return run(options); });
}

}  // namespace
}  // namespace pqc_tunnel::cli

int main(int argc, char ** argv)
{
  return pqc_tunnel::cli::tool_main("pqc_relay", pqc_tunnel::cli::run_tool, argc, argv);
}
