// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <iostream>

#include "blaster.hpp"
#include "common/tool.hpp"
#include "numbered_datagram.hpp"
#include "pqc_tunnel/command_line/number_argument.hpp"
#include "pqc_tunnel/command_line/stop_signals.hpp"
#include "pqc_tunnel/net/address.hpp"
#include "pqc_tunnel/os/thread.hpp"

namespace pqc_tunnel::cli
{
namespace
{

constexpr const char * usage =
  R"(Plays the applications at both ends of a tunnel: sends numbered datagrams each way and reports, in
JSON, how many arrived, and when.

  pqc_blaster --drone HOST:PORT --ground HOST:PORT [--drone-bind HOST:PORT]
              [--ground-bind HOST:PORT] [--drone-namespace FILE --ground-namespace FILE] [--rate N]
              [--size BYTES] [--seconds N] [--drain N] [--windows N] [--commands] [--priority N]
      --drone and --ground are the plaintext ports of the tunnel's ends, the -bind addresses those
      that the ends send to, and the -namespace files network namespaces (needs root). --rate is in datagrams per second and direction (320); --size (256)
      includes 40 bytes of header. Without --seconds it sends until SIGINT or SIGTERM. It then
      waits for datagrams in flight (--drain, 1 s). --commands reads lines from standard input:
        window NAME   from now on counts belong to this window
        report NAME   prints the counts of a window so far
        stop
      The end of the input stops it, too. --windows limits the number of windows (4096).
      --priority asks for SCHED_FIFO 1 to 99, so that a busy machine does not disturb the stream.

Exit codes: 0 done, 1 cannot run, 2 usage.
)";

Result<blaster::BlasterOptions> read_options(const Arguments & arguments)
{
  blaster::BlasterOptions options;
  constexpr std::array<const char *, 2> names = {"--drone", "--ground"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string name = names[i];
    const auto tunnel = address_argument(arguments, name);
    if (!tunnel) {
      return tl::make_unexpected(tunnel.error());
    }
    options.tunnels[i] = *tunnel;
    if (arguments.value(name + "-bind")) {
      const auto bind = address_argument(arguments, name + "-bind");
      if (!bind) {
        return tl::make_unexpected(bind.error());
      }
      options.binds[i] = *bind;
    }
    options.namespaces[i] = arguments.value(name + "-namespace").value_or("");
  }
  const auto rate = number_argument(arguments, "--rate", options.rate, {1, 200'000});
  const auto size =
    number_argument(arguments, "--size", options.size, {blaster::min_numbered_size, 65'000});
  const auto seconds = number_argument(arguments, "--seconds", 0, {0, 1'000'000});
  const auto drain = number_argument(arguments, "--drain", 1, {0, 60});
  const auto windows = number_argument(arguments, "--windows", options.max_windows, {1, 1'000'000});
  const auto priority = number_argument(arguments, "--priority", 0, {0, 99});
  for (const auto * number : {&rate, &size, &seconds, &drain, &windows, &priority}) {
    if (!*number) {
      return tl::make_unexpected(number->error());
    }
  }
  options.rate = static_cast<std::uint32_t>(*rate);
  options.size = *size;
  options.length = std::chrono::seconds(*seconds);
  options.drain = std::chrono::seconds(*drain);
  options.max_windows = *windows;
  options.take_commands = arguments.has("--commands");
  options.real_time = *priority > 0 && use_real_time_priority(static_cast<int>(*priority));
  return options;
}

Result<int> run(blaster::BlasterOptions options)
{
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

}  // namespace
}  // namespace pqc_tunnel::cli

int main(int argc, char ** argv)
{
  using namespace pqc_tunnel::cli;
  return tool_main(
    {.name = "pqc_blaster",
     .usage = usage,
     .options =
       {"--drone", "--ground", "--drone-bind", "--ground-bind", "--drone-namespace",
        "--ground-namespace", "--rate", "--size", "--seconds", "--drain", "--windows",
        "--priority"},
     .flags = {"--commands"}},
    argc, argv, read_options, run);
}
