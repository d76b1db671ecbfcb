// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <iterator>

#include "flood.hpp"
#include "pqc_tunnel/command_line/command_line.hpp"
#include "pqc_tunnel/command_line/stop_signals.hpp"

namespace pqc_tunnel::cli
{
namespace
{

constexpr std::uint64_t max_key_id = (std::uint64_t{1} << 22) - 1;

constexpr const char * details =
  R"(Sends random datagrams, truncated frames, frames under unknown keys and hellos of unknown drones. At the
end it prints in JSON how much it sent, and how many answers it got.
Exit codes: 0 done, 1 cannot run, 2 usage.)";

// The values that a command line gives.
struct Given
{
  blaster::FloodOptions flood;
  std::uint64_t seconds = 0;
  std::optional<std::uint32_t> key_id;
  std::string recorded;
};

Result<std::vector<Bytes>> read_recorded(const std::string & path)
{
  std::ifstream file(path, std::ios::binary);
  const Bytes bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (bytes.empty() || bytes.size() % blaster::hello_size != 0) {
    return fail(
      ErrorCode::invalid_argument, "--recorded is " + path + ", but must be a file of hellos of " +
                                     std::to_string(blaster::hello_size) + " bytes each.");
  }
  std::vector<Bytes> hellos;
  for (auto at = bytes.begin(); at != bytes.end(); at += blaster::hello_size) {
    hellos.emplace_back(at, at + blaster::hello_size);
  }
  return hellos;
}

void add_options(CLI::App & app, Given & given)
{
  blaster::FloodOptions & flood = given.flood;
  flood.datagrams_per_s = 50'000;
  add_address(
    app, "--to", [&](HostPort to) { flood.to = std::move(to); }, "the encrypted port")
    ->required();
  limit(
    app.add_option("--datagrams", flood.datagrams_per_s, "datagrams per second (50000)"),
    {1, 2'000'000});
  limit(
    app.add_option(
      "--key-id", given.key_id,
      "id of a live key, which everybody on the link can read: also old and forged frames under "
      "it"),
    {0, max_key_id});
  add_address(
    app, "--from", [&](HostPort from) { flood.first_source = std::move(from); },
    "the first of the addresses of this machine that datagrams come from");
  limit(app.add_option("--sources", flood.sources, "how many addresses (1)"), {1, 10'000});
  add_address(
    app, "--spoof", [&](HostPort other) { flood.spoofed = std::move(other); },
    "somebody else's address to write into them, such as the drone's (IPv4; needs root)");
  limit(app.add_option("--seconds", given.seconds, "length (until a signal)"), {0, 1'000'000});
  app.add_flag("--only-hellos", flood.junk.only_hellos, "nothing but hellos");
  app.add_option("--recorded", given.recorded, "also the hellos in this file, 152 bytes each")
    ->type_name("FILE");
}

Result<int> run(Given & given)
{
  blaster::FloodOptions & options = given.flood;
  options.length = std::chrono::seconds(given.seconds);
  if (given.key_id) {
    options.junk.live = FrameKeyId{*given.key_id};
  }
  if (!given.recorded.empty()) {
    auto recorded = read_recorded(given.recorded);
    if (!recorded) {
      return tl::make_unexpected(recorded.error());
    }
    options.junk.recorded = std::move(*recorded);
  }
  auto flood = blaster::Flood::open(std::move(options), catch_stop_signals());
  if (!flood) {
    return tl::make_unexpected(flood.error());
  }
  (*flood)->run();
  std::cout << (*flood)->report() << std::endl;
  return exit_success;
}

int run_tool(int argc, char ** argv)
{
  Given given;
  CLI::App app(
    "Sends junk to the encrypted port of a tunnel, to show that it does no harm. Only for your own "
    "tunnels.",
    "pqc_flood");
  app.footer(details);
  add_options(app, given);
  return run_program(app, {argv + 1, argv + argc}, [&] { return run(given); });
}

}  // namespace
}  // namespace pqc_tunnel::cli

int main(int argc, char ** argv)
{
  return pqc_tunnel::cli::tool_main("pqc_flood", pqc_tunnel::cli::run_tool, argc, argv);
}
