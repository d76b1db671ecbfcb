// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <limits>
#include <optional>
#include <utility>

#include "emulator.hpp"
#include "pqc_tunnel/command_line/command_line.hpp"
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

constexpr const char * details =
  R"(Over UDP the drone sends to the --udp-listen address; the emulator forwards to the --udp-forward address
of the ground station, and back. An empty HOST listens on every address, port 0 takes a free one. Over
serial lines it makes two serial devices, connected by the link.
Profiles are in share/pqc_tools/links; clean.yaml explains every field. With the same seed the same packets
at the same times get the same treatment. The summary is written at the start, each second and at the end:
packets in, packets out, and the losses by cause, in JSON. SIGUSR1 cuts the link, SIGUSR2 restores it.
SIGINT and SIGTERM end it.
Exit codes: 0 stopped by a signal, 1 cannot run, 2 usage.)";

constexpr std::chrono::seconds summary_interval{1};

struct Options
{
  EmulatorConfig config = {};  // the profile is loaded later
  std::string profile;
  std::optional<std::string> summary;
  link_emulator::RelayAddresses udp = {};
  link_emulator::SerialPaths serial = {};
};

void add_options(CLI::App & app, Options & options)
{
  options.config.seed = 1;
  app.add_option("--profile", options.profile, "the link, in YAML")->type_name("FILE")->required();
  limit(
    app.add_option("--seed", options.config.seed, "of losses and delays (1)"),
    {0, std::numeric_limits<std::uint64_t>::max()});
  app.add_option("--summary", options.summary, "file to write")->type_name("FILE");
  auto * const listen = add_address(
    app, "--udp-listen", [&](HostPort here) { options.udp.listen = std::move(here); },
    "where the drone sends to", Host::optional);
  auto * const forward = add_address(
    app, "--udp-forward", [&](HostPort there) { options.udp.forward = std::move(there); },
    "the ground station");
  auto * const drone = app.add_option("--serial-drone", options.serial.drone, "link to the device");
  auto * const ground = app.add_option("--serial-ground", options.serial.ground, "of each end");
  listen->needs(forward);
  forward->needs(listen);
  drone->needs(ground)->type_name("PATH");
  ground->needs(drone)->type_name("PATH");
}

// The ends of the link: either two addresses or two serial devices.
Result<void> choose_ends(Options & options)
{
  const bool over_udp = options.udp.forward.port != 0 || !options.udp.forward.host.empty();
  if (over_udp == !options.serial.drone.empty()) {
    return fail(
      ErrorCode::invalid_argument, "Exactly one of --udp-listen and --serial-drone is needed.");
  }
  if (over_udp && options.udp.forward.port == 0) {
    return fail(ErrorCode::invalid_argument, "--udp-forward needs a port other than 0.");
  }
  options.config.ends = options.serial;
  if (over_udp) {
    options.config.ends = options.udp;
  }
  return {};
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

Result<int> run(Options & options)
{
  if (const auto chosen = choose_ends(options); !chosen) {
    return tl::make_unexpected(chosen.error());
  }
  auto profile = link_emulator::load_profile(options.profile);
  if (!profile) {
    return fail(ErrorCode::unavailable, profile.error().message);
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

int run_tool(int argc, char ** argv)
{
  Options options;
  CLI::App app("Emulates a bad link between a drone and its ground station.", "pqc_link_emulator");
  app.footer(details);
  add_options(app, options);
  return run_program(app, {argv + 1, argv + argc}, [&] { return run(options); });
}

}  // namespace
}  // namespace pqc_tunnel::cli

int main(int argc, char ** argv)
{
  return pqc_tunnel::cli::tool_main("pqc_link_emulator", pqc_tunnel::cli::run_tool, argc, argv);
}
