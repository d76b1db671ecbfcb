// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <CLI/CLI.hpp>
#include <iostream>

#include "blaster.hpp"
#include "numbered_datagram.hpp"
#include "pqc_tunnel/command_line/command_line.hpp"
#include "pqc_tunnel/command_line/stop_signals.hpp"
#include "pqc_tunnel/os/thread.hpp"

namespace pqc_tunnel::cli
{
namespace
{

constexpr const char * details =
  R"(Without --seconds it sends until SIGINT or SIGTERM. --commands reads lines from standard input:
  window NAME   from now on counts belong to this window
  report NAME   prints the counts of a window so far
  stop
The end of the input stops it, too.
Exit codes: 0 done, 1 cannot run, 2 usage.)";

// The values that a command line gives.
struct Given
{
  blaster::BlasterOptions blaster;
  std::uint64_t seconds = 0;
  std::uint64_t drain_s = 1;
  int priority = 0;
};

void add_options(CLI::App & app, Given & given)
{
  blaster::BlasterOptions & options = given.blaster;
  for (const auto & [i, name] :
       {std::pair{std::size_t{0}, "--drone"}, {std::size_t{1}, "--ground"}}) {
    const std::string end = name;
    add_address(
      app, end,
      [&tunnels = options.tunnels.at(i)](HostPort to) { tunnels.push_back(std::move(to)); },
      "plaintext port of this end of a tunnel; several get the datagrams in turn")
      ->required()
      ->trigger_on_parse();
    add_address(
      app, end + "-bind", [&bind = options.binds.at(i)](HostPort at) { bind = std::move(at); },
      "address that this end sends to");
    app.add_option(end + "-namespace", options.namespaces.at(i), "network namespace (needs root)")
      ->type_name("FILE");
  }
  limit(
    app.add_option("--rate", options.rate, "datagrams per second and direction (320)"),
    {1, 200'000});
  limit(
    app.add_option("--size", options.size, "bytes of each, with 40 bytes of header (256)"),
    {blaster::min_numbered_size, 65'000});
  limit(app.add_option("--seconds", given.seconds, "how long it sends"), {0, 1'000'000});
  limit(
    app.add_option("--drain", given.drain_s, "seconds that it waits for datagrams in flight (1)"),
    {0, 60});
  limit(app.add_option("--windows", options.max_windows, "most windows (4096)"), {1, 1'000'000});
  app.add_flag("--commands", options.take_commands, "take commands from standard input");
  limit(
    app.add_option(
      "--priority", given.priority,
      "SCHED_FIFO from 1 to 99, so that a busy machine does not disturb the stream"),
    {0, 99});
}

Result<int> run(Given & given)
{
  blaster::BlasterOptions & options = given.blaster;
  options.length = std::chrono::seconds(given.seconds);
  options.drain = std::chrono::seconds(given.drain_s);
  options.real_time = given.priority > 0 && use_real_time_priority(given.priority);
  auto opened = blaster::Blaster::open(std::move(options), catch_stop_signals());
  if (!opened) {
    return tl::make_unexpected(opened.error());
  }
  (*opened)->run();
  std::cout << (*opened)->report() << std::endl;
  if (const auto complaint = (*opened)->complaint()) {
    std::cerr << "pqc_blaster: " << *complaint << "\n";
  }
  return exit_success;
}

int run_tool(int argc, char ** argv)
{
  Given given;
  CLI::App app(
    "Plays the applications at both ends of a tunnel: sends numbered datagrams each way and "
    "reports,\n"
    "in JSON, how many arrived, and when.",
    "pqc_blaster");
  app.footer(details);
  add_options(app, given);
  return run_program(app, {argv + 1, argv + argc}, [&] { return run(given); });
}

}  // namespace
}  // namespace pqc_tunnel::cli

int main(int argc, char ** argv)
{
  return pqc_tunnel::cli::tool_main("pqc_blaster", pqc_tunnel::cli::run_tool, argc, argv);
}
