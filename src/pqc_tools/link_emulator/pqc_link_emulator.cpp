// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <limits>
#include <optional>
#include <utility>

#include "common/tool.hpp"
#include "emulator.hpp"
#include "pqc_tunnel/command_line/number_argument.hpp"
#include "pqc_tunnel/command_line/stop_signals.hpp"
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
  R"(Emulates a bad link between a drone and its ground station.

  pqc_link_emulator --profile FILE [--seed N] [--summary FILE]
                    --udp-listen HOST:PORT --udp-forward HOST:PORT
      The drone sends to the --udp-listen address; the emulator forwards to the --udp-forward
      address of the ground station, and back. An empty HOST listens on every address, port 0 takes
      a free one.
  pqc_link_emulator --profile FILE [--seed N] [--summary FILE]
                    --serial-drone PATH --serial-ground PATH
      Makes two serial devices, connected by the link; PATH are symbolic links to them.

      FILE is a link profile in YAML, such as those in
      share/pqc_tools/links; clean.yaml explains every field. With the same seed (default 1) the
      same packets at the same times get the same treatment. --summary is written at the start, each second and at the
      end: packets in, packets out, and the losses by cause, in JSON. SIGUSR1 cuts the link,
      SIGUSR2 restores it. SIGINT and SIGTERM end it.

Exit codes: 0 stopped by a signal, 1 cannot run, 2 usage.
)";

constexpr std::chrono::seconds summary_interval{1};

// Parses an address; unlike address_argument() it accepts an empty host.
Result<HostPort> relay_address(const std::string & option, const std::string & text)
{
  if (const auto address = parse_address(text)) {
    return *address;
  }
  return fail(
    ErrorCode::invalid_argument,
    option + " is " + text + ", but must be HOST:PORT with a port from 0 to 65535.");
}

using Texts = std::pair<std::string, std::string>;

// Returns two options that need each other; nothing if neither is given.
Result<std::optional<Texts>> option_pair(
  const Arguments & arguments, const std::string & first, const std::string & second)
{
  const auto one = arguments.value(first);
  const auto other = arguments.value(second);
  if (!one && !other) {
    return std::nullopt;
  }
  if (!one || !other) {
    return fail(ErrorCode::invalid_argument, first + " and " + second + " need each other.");
  }
  return Texts{*one, *other};
}

Result<RelayAddresses> relay_addresses(const Texts & given)
{
  const auto from = relay_address("--udp-listen", given.first);
  if (!from) {
    return tl::make_unexpected(from.error());
  }
  const auto to = relay_address("--udp-forward", given.second);
  if (!to) {
    return tl::make_unexpected(to.error());
  }
  if (to->host.empty() || to->port == 0) {
    return fail(ErrorCode::invalid_argument, "--udp-forward needs a host and a port other than 0.");
  }
  return RelayAddresses{*from, *to};
}

struct Options
{
  EmulatorConfig config = {};  // the profile is loaded later
  std::string profile;
  std::optional<std::string> summary;
};

Result<Options> read_options(const Arguments & arguments)
{
  Options options{
    .profile = arguments.value("--profile").value_or(""), .summary = arguments.value("--summary")};
  if (options.profile.empty()) {
    return fail(ErrorCode::invalid_argument, "The option --profile is needed.");
  }
  EmulatorConfig & config = options.config;
  const auto seed =
    number_argument(arguments, "--seed", 1, {0, std::numeric_limits<std::uint64_t>::max()});
  if (!seed) {
    return tl::make_unexpected(seed.error());
  }
  config.seed = *seed;
  const auto udp = option_pair(arguments, "--udp-listen", "--udp-forward");
  const auto serial = option_pair(arguments, "--serial-drone", "--serial-ground");
  for (const auto * pair : {&udp, &serial}) {
    if (!*pair) {
      return tl::make_unexpected(pair->error());
    }
  }
  if (udp->has_value() == serial->has_value()) {
    return fail(
      ErrorCode::invalid_argument, "Exactly one of --udp-listen and --serial-drone is needed.");
  }
  if (*serial) {
    config.ends = link_emulator::SerialPaths{(*serial)->first, (*serial)->second};
  } else if (const auto relay = relay_addresses(**udp)) {
    config.ends = *relay;
  } else {
    return tl::make_unexpected(relay.error());
  }
  return options;
}

// Replaces the file as a whole, so that readers never see half a summary.
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
    return fail(ErrorCode::permission, "The summary " + file.string() + " cannot be written.");
  }
  return {};
}

Result<int> run(Options options)
{
  auto profile = link_emulator::load_profile(options.profile);
  if (!profile) {
    return tl::make_unexpected(profile.error());
  }
  options.config.profile = std::move(*profile);
  const std::uint64_t seed = options.config.seed;
  const FileDescriptor signals = catch_stop_signals();
  options.config.cut_signals = catch_signals({SIGUSR1, SIGUSR2});
  auto emulator = Emulator::open(std::move(options.config), monotonic_now());
  if (!emulator) {
    return tl::make_unexpected(emulator.error());
  }
  const auto report = [&](bool finished) {
    return summary_json(**emulator, options.profile, seed, finished, monotonic_now());
  };
  if (!options.summary) {
    (*emulator)->run_until(Instant::max(), signals);
    return exit_success;
  }
  if (auto written = write_summary(*options.summary, report(false)); !written) {
    return tl::make_unexpected(written.error());
  }
  // A slow disk can block a writer for seconds; packets must not wait for it.
  std::future<Result<void>> writing;
  while (!(*emulator)->run_until(monotonic_now() + summary_interval, signals)) {
    if (writing.valid() && writing.wait_for(0s) != std::future_status::ready) {
      continue;
    }
    if (auto written = writing.valid() ? writing.get() : Result<void>(); !written) {
      return tl::make_unexpected(written.error());
    }
    writing = std::async(std::launch::async, write_summary, *options.summary, report(false));
  }
  if (writing.valid()) {
    writing.wait();
  }
  return write_summary(*options.summary, report(true)).map([] { return exit_success; });
}

}  // namespace
}  // namespace pqc_tunnel::cli

int main(int argc, char ** argv)
{
  using namespace pqc_tunnel::cli;
  return tool_main(
    {.name = "pqc_link_emulator",
     .usage = usage,
     .options =
       {"--profile", "--seed", "--udp-listen", "--udp-forward", "--serial-drone", "--serial-ground",
        "--summary"}},
    argc, argv, read_options, run);
}
