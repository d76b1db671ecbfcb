// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <iostream>

#include "common/tool.hpp"
#include "flood.hpp"
#include "pqc_tunnel/command_line/number_argument.hpp"
#include "pqc_tunnel/command_line/stop_signals.hpp"

namespace pqc_tunnel::cli
{
namespace
{

constexpr const char * usage =
  R"(Sends junk to the open ports of a tunnel, to show that it does no harm. Only for your own tunnels.

  pqc_flood [--datagrams-to HOST:PORT --datagrams N] [--connect-to HOST:PORT --connections N]
            [--suite ID --session HEX --epoch N] [--from ADDRESS:0 --sources N]
            [--size BYTES] [--seconds N]
      Sends random datagrams, truncated ones, and ones of an unknown session; with the --suite,
      --session and --epoch of a live session, also old and forged frames of it. Connections send
      nothing, half a hello, garbage, or a hello with a wrong MAC; --from and --sources spread
      them over that many addresses of this machine. N is per second. At the end it prints in JSON
      how much it sent.

Exit codes: 0 done, 1 cannot run, 2 usage.
)";

Result<std::optional<HostPort>> optional_address(
  const Arguments & arguments, const std::string & option)
{
  if (!arguments.value(option)) {
    return std::optional<HostPort>();
  }
  auto address = address_argument(arguments, option);
  if (!address) {
    return tl::make_unexpected(address.error());
  }
  return std::optional(std::move(*address));
}

std::optional<SessionId> parse_session(const std::string & hex)
{
  SessionId session;
  if (hex.size() != 2 * session.bytes.size()) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < session.bytes.size(); ++i) {
    const char * begin = hex.data() + 2 * i;
    const auto parsed = std::from_chars(begin, begin + 2, session.bytes[i], 16);
    if (parsed.ec != std::errc() || parsed.ptr != begin + 2) {
      return std::nullopt;
    }
  }
  return session;
}

// The header of a live session, as an eavesdropper knows it.
Result<std::optional<FrameHeader>> live_header(const Arguments & arguments, const Suite & suite)
{
  const auto hex = arguments.value("--session");
  if (!hex) {
    return std::optional<FrameHeader>();
  }
  const auto session = parse_session(*hex);
  if (!session) {
    return fail(
      ErrorCode::invalid_argument, "--session is " + *hex + ", but must be 16 hexadecimal digits.");
  }
  const auto epoch = number_argument(arguments, "--epoch", 0, {0, 255});
  if (!epoch) {
    return tl::make_unexpected(epoch.error());
  }
  FrameHeader header;
  header.suite = header_suite(suite.wire_id);
  header.session = *session;
  header.epoch = Epoch{static_cast<std::uint8_t>(*epoch)};
  return std::optional(header);
}

Result<blaster::FloodOptions> read_options(const Arguments & arguments)
{
  blaster::FloodOptions options;
  const auto datagrams_to = optional_address(arguments, "--datagrams-to");
  const auto connect_to = optional_address(arguments, "--connect-to");
  const auto from = optional_address(arguments, "--from");
  for (const auto * address : {&datagrams_to, &connect_to, &from}) {
    if (!*address) {
      return tl::make_unexpected(address->error());
    }
  }
  const auto datagrams = number_argument(arguments, "--datagrams", 50'000, {1, 2'000'000});
  const auto connections = number_argument(arguments, "--connections", 200, {1, 10'000});
  const auto sources = number_argument(arguments, "--sources", 1, {1, 65'536});
  const auto size = number_argument(arguments, "--size", options.size, {64, 9'000});
  const auto length = number_argument(arguments, "--seconds", 0, {0, 1'000'000});
  for (const auto * number : {&datagrams, &connections, &sources, &size, &length}) {
    if (!*number) {
      return tl::make_unexpected(number->error());
    }
  }
  const std::string id = arguments.value("--suite").value_or(std::string(registry().all()[0].id));
  options.suite = registry().find(id);
  if (options.suite == nullptr) {
    return fail(ErrorCode::invalid_argument, "There is no suite " + id + ".");
  }
  const auto live = live_header(arguments, *options.suite);
  if (!live) {
    return tl::make_unexpected(live.error());
  }
  options.datagrams_to = *datagrams_to;
  options.connect_to = *connect_to;
  options.first_source = *from;
  options.sources = static_cast<std::uint32_t>(*sources);
  options.datagrams_per_s = static_cast<std::uint32_t>(*datagrams);
  options.connections_per_s = static_cast<std::uint32_t>(*connections);
  options.size = *size;
  options.length = std::chrono::seconds(*length);
  options.live = *live;
  if (!options.datagrams_to && !options.connect_to) {
    return fail(ErrorCode::invalid_argument, "One of --datagrams-to and --connect-to is needed.");
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
       {"--datagrams-to", "--datagrams", "--connect-to", "--connections", "--suite", "--session",
        "--epoch", "--from", "--sources", "--size", "--seconds"}},
    argc, argv, read_options, run);
}
