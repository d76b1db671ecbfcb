// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <limits>
#include <optional>

#include "emulator.hpp"
#include "pqc_tunnel/command_line/arguments.hpp"
#include "pqc_tunnel/command_line/number_argument.hpp"
#include "pqc_tunnel/command_line/stop_signals.hpp"
#include "pqc_tunnel/command_line/tool_main.hpp"
#include "pqc_tunnel/os/clock.hpp"
#include "profile_file.hpp"
#include "summary.hpp"

namespace pqc_tunnel::cli
{
namespace
{

using namespace std::chrono_literals;
using link_emulator::Emulator;
using link_emulator::EmulatorConfig;
using link_emulator::RelayAddresses;

constexpr const char * usage =
  R"(A bad link between a drone and its ground station, on purpose.

  pqc_link_emulator --profile FILE [--seed N] [--summary FILE]
                    [--udp-listen HOST:PORT --udp-forward HOST:PORT]
                    [--tcp-listen HOST:PORT --tcp-forward HOST:PORT]
      The drone sends to the addresses of --…-listen, which take it to those of --…-forward at the
      ground station, and back. FILE is a link profile in YAML, such as those in share/pqc_tools/links;
      clean.yaml explains every field. The same seed (default 1) and the same packets at the same
      times have the same fate. An empty HOST listens at every address, port 0 takes a free one.
      --summary is written at the start, each second and at the end: what came in, what went out,
      and what the link did to the rest, in JSON. SIGINT and SIGTERM end it.

Exit codes: 0 stopped when told to, 1 can't run, 2 usage.
)";

constexpr std::chrono::seconds summary_interval{1};

int refuse(const Error & error, int code)
{
  std::cerr << "pqc_link_emulator: " << error.message << "\n";
  return code;
}

// Unlike address_argument, this takes an empty host.
Result<HostPort> relay_address(const std::string & option, const std::string & text)
{
  if (const auto address = parse_address(text)) {
    return *address;
  }
  return fail(
    ErrorCode::invalid_argument,
    option + " is " + text + ", but must be HOST:PORT with a port from 0 to 65535.");
}

Result<std::optional<RelayAddresses>> parse_relay(
  const Arguments & arguments, const std::string & protocol)
{
  const std::string listen_option = "--" + protocol + "-listen";
  const std::string forward_option = "--" + protocol + "-forward";
  const auto listen = arguments.value(listen_option);
  const auto forward = arguments.value(forward_option);
  if (!listen && !forward) {
    return std::nullopt;
  }
  if (!listen || !forward) {
    return fail(
      ErrorCode::invalid_argument, listen_option + " and " + forward_option + " need each other.");
  }
  const auto from = relay_address(listen_option, *listen);
  if (!from) {
    return tl::make_unexpected(from.error());
  }
  const auto to = relay_address(forward_option, *forward);
  if (!to) {
    return tl::make_unexpected(to.error());
  }
  if (to->host.empty() || to->port == 0) {
    return fail(
      ErrorCode::invalid_argument, forward_option + " needs a host and a port other than 0.");
  }
  return RelayAddresses{*from, *to};
}

// Everything but the profile.
Result<EmulatorConfig> parse_config(const Arguments & arguments)
{
  EmulatorConfig config;
  const auto seed =
    number_argument(arguments, "--seed", 1, {0, std::numeric_limits<std::uint64_t>::max()});
  if (!seed) {
    return tl::make_unexpected(seed.error());
  }
  config.seed = *seed;
  for (const auto & [protocol, into] : {std::pair{"udp", &config.udp}, {"tcp", &config.tcp}}) {
    auto relay = parse_relay(arguments, protocol);
    if (!relay) {
      return tl::make_unexpected(relay.error());
    }
    *into = *relay;
  }
  if (!config.udp && !config.tcp) {
    return fail(
      ErrorCode::invalid_argument, "There is nothing to relay; give --udp-listen or --tcp-listen.");
  }
  return config;
}

// Replaced as a whole, so that nobody reads half of one.
Result<void> write_summary(const std::filesystem::path & file, const std::string & json)
{
  const std::filesystem::path fresh = file.string() + ".new";
  std::error_code error;
  if (std::ofstream stream(fresh); !(stream << json << "\n" << std::flush)) {
    error = std::make_error_code(std::errc::io_error);
  } else {
    std::filesystem::rename(fresh, file, error);
  }
  if (error) {
    return fail(ErrorCode::permission, "The summary " + file.string() + " can't be written.");
  }
  return {};
}

Result<void> relay(
  const EmulatorConfig & config, const std::string & profile,
  const std::optional<std::string> & summary)
{
  const FileDescriptor signals = catch_stop_signals();
  auto emulator = Emulator::open(config, monotonic_now());
  if (!emulator) {
    return tl::make_unexpected(emulator.error());
  }
  const auto report = [&](bool finished) {
    return summary_json(**emulator, profile, config.seed, finished, monotonic_now());
  };
  if (!summary) {
    (*emulator)->run_until(Instant::max(), signals);
    return {};
  }
  if (auto written = write_summary(*summary, report(false)); !written) {
    return written;
  }
  // A disk may keep a writer waiting for seconds: packets don't wait with it.
  std::future<Result<void>> writing;
  while (!(*emulator)->run_until(monotonic_now() + summary_interval, signals)) {
    if (writing.valid() && writing.wait_for(0s) != std::future_status::ready) {
      continue;
    }
    if (auto written = writing.valid() ? writing.get() : Result<void>(); !written) {
      return written;
    }
    writing = std::async(std::launch::async, write_summary, *summary, report(false));
  }
  if (writing.valid()) {
    writing.wait();
  }
  return write_summary(*summary, report(true));
}

int run(const std::vector<std::string> & words)
{
  const auto arguments = Arguments::parse(
    words,
    {"--profile", "--seed", "--udp-listen", "--udp-forward", "--tcp-listen", "--tcp-forward",
     "--summary"},
    {"--help", "-h"});
  if (!arguments) {
    return refuse(arguments.error(), exit_usage);
  }
  if (arguments->has("--help") || arguments->has("-h")) {
    std::cout << usage;
    return exit_success;
  }
  const auto profile = arguments->value("--profile");
  if (!profile || !arguments->rest().empty()) {
    std::cerr << usage;
    return exit_usage;
  }
  auto config = parse_config(*arguments);
  if (!config) {
    return refuse(config.error(), exit_usage);
  }
  auto loaded = link_emulator::load_profile(*profile);
  if (!loaded) {
    return refuse(loaded.error(), exit_cannot_run);
  }
  config->profile = std::move(*loaded);
  if (const auto ended = relay(*config, *profile, arguments->value("--summary")); !ended) {
    return refuse(ended.error(), exit_cannot_run);
  }
  return exit_success;
}

}  // namespace
}  // namespace pqc_tunnel::cli

int main(int argc, char ** argv)
{
  return pqc_tunnel::cli::tool_main("pqc_link_emulator", argc, argv, pqc_tunnel::cli::run);
}
