// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <CLI/CLI.hpp>
#include <iostream>

#include "pqc_tunnel/command_line/command_line.hpp"
#include "pqc_tunnel/command_line/stop_signals.hpp"
#include "pqc_tunnel/os/clock.hpp"
#include "pqc_tunnel/os/thread.hpp"
#include "report.hpp"
#include "rounds.hpp"

namespace pqc_tunnel::cli
{
namespace
{

constexpr const char * details =
  R"(Key generation, encapsulation and decapsulation of every KEM; key generation, signing and verifying of
every signature; sealing and opening of 64, 256, 1024 and 4096 bytes with every AEAD under one key. Each
round takes one sample of each. The result is a line of JSON on standard output. SIGINT ends it; it then
reports the samples so far.
Exit codes: 0 done, 1 cannot run or a primitive gave a wrong result, 2 usage.)";

// Classic McEliece needs this much stack.
constexpr std::size_t stack_bytes = std::size_t{16} << 20;
constexpr Duration progress_interval = std::chrono::seconds(10);

struct Options
{
  std::size_t count = 200;
  std::uint64_t cap_s = 0;
  std::vector<std::string> patterns;
  std::vector<speed::Subject> subjects;
  bool quiet = false;
};

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
  facts.wall_s = pqc_tunnel::in_seconds(monotonic_now() - begin);
  return facts;
}

Result<int> run(Options & options)
{
  options.subjects = speed::make_subjects(options.patterns);
  if (options.subjects.empty()) {
    return fail(ErrorCode::invalid_argument, "No algorithm has a name that fits --only.");
  }
  const FileDescriptor signals = catch_stop_signals();
  Thread("speed", stack_bytes, [&] {
    const speed::RunFacts facts = measure(options, signals.get());
    std::cout << speed::report_json(options.subjects, facts) << std::endl;
  }).join();
  return speed::operations_failed(options.subjects) == 0 ? exit_success : exit_cannot_run;
}

int run_tool(int argc, char ** argv)
{
  Options options;
  CLI::App app("Times every primitive of the tunnel on this machine.", "pqc_speed");
  app.footer(details);
  limit(
    app.add_option("--count", options.count, "samples of each operation (200)"), {1, 1'000'000});
  limit(
    app.add_option(
      "--seconds-cap", options.cap_s,
      "after so long in total an operation gets no further samples and is marked as cut (no cap)"),
    {0, 1'000'000});
  app
    .add_option(
      "--only", options.patterns, "names in suite ids, such as mlkem* or aesgcm; may be repeated")
    ->type_name("PATTERN");
  app.add_flag("--quiet", options.quiet, "print no progress");
  return run_program(app, {argv + 1, argv + argc}, [&] { return run(options); });
}

}  // namespace
}  // namespace pqc_tunnel::cli

int main(int argc, char ** argv)
{
  return pqc_tunnel::cli::tool_main("pqc_speed", pqc_tunnel::cli::run_tool, argc, argv);
}
