// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <cstdio>
#include <fstream>
#include <iostream>

#include "pqc_tunnel/command_line/arguments.hpp"
#include "pqc_tunnel/command_line/number_argument.hpp"
#include "pqc_tunnel/command_line/stop_signals.hpp"
#include "pqc_tunnel/command_line/tool_main.hpp"
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

  pqc_speed [--count N] [--seconds-cap N] [--only PATTERN ...] [--out FILE] [--quiet]
      Key generation, encapsulation and decapsulation of every KEM; key generation, signing and
      verifying of every signature; sealing and opening of 64, 256, 1024 and 4096 bytes with every
      AEAD, the key set once. --count samples of each (200), one of each per round. An operation
      that took --seconds-cap in total gets no further samples (0: no cap), and is shown as cut.
      --only takes patterns of the names in suite ids, such as mlkem* or aesgcm; it may be
      repeated. --out is for the result as JSON, "-" for standard output instead of the table.
      --quiet leaves the progress out. SIGINT ends it with what was measured so far.

Exit codes: 0 done, 1 can't run or a primitive gave a wrong result, 2 usage.
)";

// Classic McEliece needs that much.
constexpr std::size_t stack_bytes = std::size_t{16} << 20;
constexpr Duration progress_interval = std::chrono::seconds(10);

int refuse(const std::string & message, int code)
{
  std::cerr << "pqc_speed: " << message << "\n";
  return code;
}

struct Options
{
  std::size_t count = 200;
  std::uint64_t cap_s = 0;
  std::vector<std::string> patterns;
  std::string out;
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
  options.patterns = arguments.values("--only");
  options.out = arguments.value("--out").value_or("");
  options.quiet = arguments.has("--quiet");
  return options;
}

bool stop_asked(int signals)
{
  signalfd_siginfo info{};
  return ::read(signals, &info, sizeof(info)) == static_cast<ssize_t>(sizeof(info));
}

speed::RunFacts measure(
  std::vector<speed::Subject> & subjects, const Options & options, int signals)
{
  const Instant begin = monotonic_now();
  Instant told = begin;
  speed::RoundOptions rounds;
  rounds.count = options.count;
  rounds.cap = std::chrono::seconds(options.cap_s);
  rounds.now = monotonic_now;
  rounds.stopping = [signals] { return stop_asked(signals); };
  rounds.progress = [&](std::size_t round) {
    if (!options.quiet && monotonic_now() - told >= progress_interval) {
      told = monotonic_now();
      std::cerr << "pqc_speed: " << round << " of " << options.count << " rounds\n";
    }
  };
  speed::RunFacts facts;
  facts.count = options.count;
  facts.cap_s = static_cast<double>(options.cap_s);
  facts.clock_ns = speed::clock_cost(monotonic_now);
  facts.rounds = speed::run_rounds(subjects, rounds);
  facts.wall_s = std::chrono::duration<double>(monotonic_now() - begin).count();
  return facts;
}

int tell(std::vector<speed::Subject> & subjects, const speed::RunFacts & facts, std::ostream * file)
{
  if (file != nullptr) {
    *file << speed::report_json(subjects, facts) << std::endl;
  }
  if (file != &std::cout) {
    std::cout << speed::report_table(subjects, facts);
  }
  if (file != nullptr && !*file) {
    return refuse("The result can't be written.", exit_cannot_run);
  }
  return speed::operations_failed(subjects) == 0 ? exit_success : exit_cannot_run;
}

int run(const std::vector<std::string> & words)
{
  const auto arguments = Arguments::parse(
    words, {"--count", "--seconds-cap", "--only", "--out"}, {"--quiet", "--help", "-h"});
  if (!arguments) {
    return refuse(arguments.error().message, exit_usage);
  }
  if (arguments->has("--help") || arguments->has("-h")) {
    std::cout << usage;
    return exit_success;
  }
  if (!arguments->rest().empty()) {
    std::cerr << usage;
    return exit_usage;
  }
  const auto options = read_options(*arguments);
  if (!options) {
    return refuse(options.error().message, exit_usage);
  }
  auto subjects = speed::make_subjects(options->patterns);
  if (subjects.empty()) {
    return refuse("No algorithm has a name that fits --only.", exit_usage);
  }
  std::ofstream file;
  std::ostream * out = nullptr;
  if (options->out == "-") {
    out = &std::cout;
  } else if (!options->out.empty()) {
    file.open(options->out);
    if (!file) {
      return refuse("The file " + options->out + " can't be written.", exit_cannot_run);
    }
    out = &file;
  }
  const FileDescriptor signals = catch_stop_signals();
  int code = exit_cannot_run;
  Thread("speed", stack_bytes, [&] {
    code = tell(subjects, measure(subjects, *options, signals.get()), out);
  }).join();
  return code;
}

}  // namespace
}  // namespace pqc_tunnel::cli

int main(int argc, char ** argv)
{
  return pqc_tunnel::cli::tool_main("pqc_speed", argc, argv, pqc_tunnel::cli::run);
}
