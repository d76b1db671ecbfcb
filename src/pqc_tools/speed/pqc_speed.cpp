// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <iostream>

#include "common/tool.hpp"
#include "pqc_tunnel/command_line/number_argument.hpp"
#include "pqc_tunnel/command_line/stop_signals.hpp"
#include "pqc_tunnel/os/clock.hpp"
#include "pqc_tunnel/os/thread.hpp"
#include "report.hpp"
#include "rounds.hpp"

namespace pqc_tunnel::cli
{
namespace
{

constexpr const char * usage =
  R"(Times every primitive of the tunnel on this machine.

  pqc_speed [--count N] [--seconds-cap N] [--only PATTERN ...] [--quiet]
      Key generation, encapsulation and decapsulation of every KEM; key generation, signing and
      verifying of every signature; sealing and opening of 64, 256, 1024 and 4096 bytes with every
      AEAD under one key. It takes --count samples of each (200), one of each per round. An
      operation that took --seconds-cap in total gets no further samples (0: no cap) and is marked
      as cut. --only takes patterns of the names in suite ids, such as mlkem* or aesgcm; it may be
      repeated. --quiet prints no progress. The result is a line of JSON on standard output.
      SIGINT ends it; it then reports the samples so far.

Exit codes: 0 done, 1 cannot run or a primitive gave a wrong result, 2 usage.
)";

// Classic McEliece needs this much stack.
constexpr std::size_t stack_bytes = std::size_t{16} << 20;
constexpr Duration progress_interval = std::chrono::seconds(10);

struct Options
{
  std::size_t count = 200;
  std::uint64_t cap_s = 0;
  std::vector<speed::Subject> subjects;
  bool quiet = false;
};

Result<Options> read_options(const Arguments & arguments)
{
  Options options;
  const auto count = number_argument(arguments, "--count", options.count, {1, 1'000'000});
  const auto cap = number_argument(arguments, "--seconds-cap", 0, {0, 1'000'000});
  for (const auto * number : {&count, &cap}) {
    if (!*number) {
      return tl::make_unexpected(number->error());
    }
  }
  options.count = *count;
  options.cap_s = *cap;
  options.subjects = speed::make_subjects(arguments.values("--only"));
  if (options.subjects.empty()) {
    return fail(ErrorCode::invalid_argument, "No algorithm has a name that fits --only.");
  }
  options.quiet = arguments.has("--quiet");
  return options;
}

bool stop_asked(int signals)
{
  signalfd_siginfo info{};
  return ::read(signals, &info, sizeof(info)) == static_cast<ssize_t>(sizeof(info));
}

speed::RunFacts measure(Options & options, int signals)
{
  const Instant begin = monotonic_now();
  Instant reported = begin;
  speed::RoundOptions rounds;
  rounds.count = options.count;
  rounds.cap = std::chrono::seconds(options.cap_s);
  rounds.now = monotonic_now;
  rounds.stopping = [signals] { return stop_asked(signals); };
  rounds.progress = [&](std::size_t round) {
    if (!options.quiet && monotonic_now() - reported >= progress_interval) {
      reported = monotonic_now();
      std::cerr << "pqc_speed: " << round << " of " << options.count << " rounds\n";
    }
  };
  speed::RunFacts facts;
  facts.count = options.count;
  facts.cap_s = static_cast<double>(options.cap_s);
  facts.clock_ns = speed::clock_cost(monotonic_now);
  facts.rounds = speed::run_rounds(options.subjects, rounds);
  facts.wall_s = std::chrono::duration<double>(monotonic_now() - begin).count();
  return facts;
}

Result<int> run(Options options)
{
  const FileDescriptor signals = catch_stop_signals();
  Thread("speed", stack_bytes, [&] {
    const speed::RunFacts facts = measure(options, signals.get());
    std::cout << speed::report_json(options.subjects, facts) << std::endl;
  }).join();
  return speed::operations_failed(options.subjects) == 0 ? exit_success : exit_cannot_run;
}

}  // namespace
}  // namespace pqc_tunnel::cli

int main(int argc, char ** argv)
{
  using namespace pqc_tunnel::cli;
  return tool_main(
    {.name = "pqc_speed",
     .usage = usage,
     .options = {"--count", "--seconds-cap", "--only"},
     .flags = {"--quiet"}},
    argc, argv, read_options, run);
}
