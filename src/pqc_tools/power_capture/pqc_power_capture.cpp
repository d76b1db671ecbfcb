// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <CLI/CLI.hpp>
#include <iostream>

#include "capture.hpp"
#include "pqc_tunnel/command_line/command_line.hpp"
#include "pqc_tunnel/command_line/json_writer.hpp"
#include "pqc_tunnel/command_line/stop_signals.hpp"
#include "pqc_tunnel/os/thread.hpp"

namespace pqc_tunnel::cli
{
namespace
{

constexpr const char * details =
  R"(Sources: iio (INA219, INA226 with the kernel's buffered driver), hwmon, rapl; auto takes the first that
there is. i2c is an INA219 without a driver: it is configured, and so only if you ask for it. 1,100 samples per
second of an INA219 need a bus of 400 kHz.
Writes CSV in gzip: seconds, power in W, missing samples before; facts as comments. Ends after --seconds, at
SIGINT or SIGTERM, or with --until-input-ends. On standard error are a line of JSON when it records, with the
sensor, and one at its end, with what it counted.
Exit codes: 0 done, 1 cannot run, 2 usage, 3 no sensor.)";

constexpr int exit_no_sensor = 3;
constexpr int priority = 20;

struct Given
{
  power::SourceOptions source;
  std::uint64_t seconds = 0;
  bool until_input_ends = false;
  std::string out;
};

Result<int> run(const Given & given)
{
  const FileDescriptor signals = catch_stop_signals();
  auto source = power::open_source(given.source);
  if (!source) {
    if (source.error().code == ErrorCode::unavailable) {
      std::cerr << "pqc_power_capture: " << source.error().message << "\n";
      return exit_no_sensor;
    }
    return tl::make_unexpected(source.error());
  }
  auto trace = power::TraceFile::create(given.out);
  if (!trace) {
    return tl::make_unexpected(trace.error());
  }
  power::CaptureOptions options;
  options.length = std::chrono::seconds(given.seconds);
  options.until_input_ends = given.until_input_ends;
  options.real_time = use_real_time_priority(priority);
  std::cerr << JsonWriter::object()
                 .text("source", (*source)->kind())
                 .text("sensor", (*source)->sensor())
                 .str()
            << std::endl;
  const auto counts = power::capture(**source, std::move(*trace), options, signals);
  if (!counts) {
    return tl::make_unexpected(counts.error());
  }
  std::cerr << JsonWriter::object()
                 .number("samples", counts->samples)
                 .number("gaps", counts->gaps)
                 .number("missed", counts->missed)
                 .number("no_answers", counts->no_answers)
                 .number("overflows", counts->overflows)
                 .str()
            << std::endl;
  return exit_success;
}

int run_tool(int argc, char ** argv)
{
  Given given;
  CLI::App app("Records the power of this computer from a sensor.", "pqc_power_capture");
  app.footer(details);
  app.add_option("--out", given.out, "where to write the trace; - is standard output")->required();
  app.add_option("--source", given.source.kind, "sensor to read (auto)")
    ->check(CLI::IsMember({"auto", "iio", "hwmon", "rapl", "i2c"}));
  limit(app.add_option("--seconds", given.seconds, "how long it records"), {1, 1'000'000});
  app.add_flag("--until-input-ends", given.until_input_ends, "record until standard input ends");
  limit(
    app.add_option("--rate", given.source.rate_hz, "samples per second (1110, of rapl 50)"),
    {1, 10'000});
  limit(app.add_option("--bus", given.source.bus, "I2C bus (1)"), {0, 255});
  limit(app.add_option("--address", given.source.address, "I2C address (64)"), {3, 119});
  app
    .add_option(
      "--shunt-ohm", given.source.shunt_ohm, "shunt of an INA2xx (as its driver says; 0.1)")
    ->check(CLI::Range(1e-5, 100.0));
  app.add_option("--sys-root", given.source.sys, "where the kernel shows sensors (/sys)");
  app.add_option("--dev-root", given.source.dev, "where their devices are (/dev)");
  return run_program(app, {argv + 1, argv + argc}, [&] { return run(given); });
}

}  // namespace
}  // namespace pqc_tunnel::cli

int main(int argc, char ** argv)
{
  return pqc_tunnel::cli::tool_main("pqc_power_capture", pqc_tunnel::cli::run_tool, argc, argv);
}
