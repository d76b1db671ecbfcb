// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <fstream>
#include <iostream>
#include <iterator>

#include "common/tool.hpp"
#include "flood.hpp"
#include "pqc_tunnel/command_line/number_argument.hpp"
#include "pqc_tunnel/command_line/stop_signals.hpp"

namespace pqc_tunnel::cli
{
namespace
{

constexpr std::uint64_t max_key_id = (std::uint64_t{1} << 22) - 1;

constexpr const char * usage =
  R"(Sends junk to the encrypted port of a tunnel, to show that it does no harm. Only for your own tunnels.

  pqc_flood --to HOST:PORT [--datagrams N] [--key-id N] [--from ADDRESS:0 --sources N]
            [--spoof ADDRESS:PORT] [--seconds N] [--only-hellos] [--recorded FILE]
      Sends random datagrams, truncated frames, frames under unknown keys and hellos of unknown
      drones; with the --key-id of a live key, which everybody on the link can read, also old and
      forged frames under it; with --recorded also the hellos in FILE, 152 bytes each. --from and
      --sources spread them over that many addresses of this machine. --spoof writes somebody
      else's address into them, such as the drone's (IPv4; needs root). --datagrams is per second.
      At the end it prints in JSON how much it sent, and how many answers it got.

Exit codes: 0 done, 1 cannot run, 2 usage.
)";

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

Result<blaster::FloodOptions> read_options(const Arguments & arguments)
{
  blaster::FloodOptions options;
  const auto to = address_argument(arguments, "--to");
  if (!to) {
    return tl::make_unexpected(to.error());
  }
  if (arguments.value("--from")) {
    auto from = address_argument(arguments, "--from");
    if (!from) {
      return tl::make_unexpected(from.error());
    }
    options.first_source = std::move(*from);
  }
  if (arguments.value("--spoof")) {
    auto spoofed = address_argument(arguments, "--spoof");
    if (!spoofed) {
      return tl::make_unexpected(spoofed.error());
    }
    options.spoofed = std::move(*spoofed);
  }
  const auto datagrams = number_argument(arguments, "--datagrams", 50'000, {1, 2'000'000});
  const auto sources = number_argument(arguments, "--sources", 1, {1, 10'000});
  const auto length = number_argument(arguments, "--seconds", 0, {0, 1'000'000});
  const auto key_id = number_argument(arguments, "--key-id", 0, {0, max_key_id});
  for (const auto * number : {&datagrams, &sources, &length, &key_id}) {
    if (!*number) {
      return tl::make_unexpected(number->error());
    }
  }
  options.to = *to;
  options.sources = static_cast<std::uint32_t>(*sources);
  options.datagrams_per_s = static_cast<std::uint32_t>(*datagrams);
  options.junk.only_hellos = arguments.has("--only-hellos");
  options.length = std::chrono::seconds(*length);
  if (arguments.value("--key-id")) {
    options.junk.live = FrameKeyId{static_cast<std::uint32_t>(*key_id)};
  }
  if (const auto path = arguments.value("--recorded")) {
    auto recorded = read_recorded(*path);
    if (!recorded) {
      return tl::make_unexpected(recorded.error());
    }
    options.junk.recorded = std::move(*recorded);
  }
  return options;
}

Result<int> run(blaster::FloodOptions options)
{
  auto flood = blaster::Flood::open(std::move(options), catch_stop_signals());
  if (!flood) {
    return tl::make_unexpected(flood.error());
  }
  (*flood)->run();
  std::cout << (*flood)->report() << std::endl;
  return exit_success;
}

}  // namespace
}  // namespace pqc_tunnel::cli

int main(int argc, char ** argv)
{
  using namespace pqc_tunnel::cli;
  return tool_main(
    {.name = "pqc_flood",
     .usage = usage,
     .options =
       {"--to", "--datagrams", "--key-id", "--from", "--sources", "--spoof", "--seconds",
        "--recorded"},
     .flags = {"--only-hellos"}},
    argc, argv, read_options, run);
}
