// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "exposure.hpp"
#include "pqc_tunnel/base/shown_text.hpp"
#include "pqc_tunnel/command_line/arguments.hpp"
#include "pqc_tunnel/command_line/json_writer.hpp"
#include "pqc_tunnel/command_line/shown_streams.hpp"
#include "pqc_tunnel/net/address.hpp"

namespace pqc_tunnel::exposure
{
namespace
{

using cli::JsonWriter;

constexpr const char * usage =
  R"(  pqc exposure [--config FILE ...] [--allow PROGRAM[:PORT[/udp|/tcp]] ...] [--json]
      [--node NAME] [--proc-root FOLDER]

Sockets that carry plaintext beyond this machine.
Lists the sockets that send or receive plaintext MAVLink, DDS or Zenoh beyond the loopback
interface, and how to close each. It reads /proc and sends nothing; run it as root to see every
program. FILE is a tunnel's parameter file: it contains the encrypted ports and exposure.allow.
Without a FILE the ports of the shipped files count. --allow leaves out sockets that a firewall
closes; PORT may be *. NAME is the node in FILE (default /pqc/tunnel), FOLDER the place of the
proc file system.
Exit code: 0 closed, 1 exposed, 2 wrong usage, 3 unclear.
)";
constexpr int exit_exposed = 1;
constexpr int exit_unclear = 3;

Result<ExposureOptions> read_options(const cli::Arguments & arguments)
{
  ExposureOptions options;
  const auto files = arguments.values("--config");
  if (!files.empty()) {
    options.ports = {};
  }
  for (const auto & file : files) {
    const auto values = load_parameter_file(file, arguments.value("--node").value_or(default_node));
    if (!values) {
      return tl::make_unexpected(values.error());
    }
    if (const auto added = add_parameters(*values, options); !added) {
      return fail(added.error().code, file + ": " + added.error().message);
    }
  }
  for (const auto & text : arguments.values("--allow")) {
    auto allowed = parse_allowed_socket(text);
    if (!allowed) {
      return fail(allowed.error().code, "--allow: " + allowed.error().message);
    }
    options.allowed.push_back(std::move(*allowed));
  }
  return options;
}

std::string to_json(const SocketRow & row)
{
  const bool connected = row.state == SocketState::connected;
  auto json = JsonWriter::object();
  json.text("protocol", row.transport == Transport::udp ? "udp" : "tcp")
    .text("local", to_string(row.local))
    .number("port", row.local.port);
  return connected ? json.text("remote", to_string(row.remote)).str() : json.str();
}

std::string to_json(const Finding & finding)
{
  auto sockets = JsonWriter::array();
  for (const SocketRow & row : finding.sockets) {
    sockets.element(to_json(row));
  }
  return JsonWriter::object()
    .text("process", finding.process)
    .number("pid", finding.pid)
    .text("kind", to_string(finding.kind))
    .text("severity", to_string(finding.severity))
    .raw("sockets", sockets.str())
    .text("sentence", sentence(finding))
    .str();
}

std::string to_json(const ExposureReport & report)
{
  auto findings = JsonWriter::array();
  for (const Finding & finding : report.findings) {
    findings.element(to_json(finding));
  }
  return JsonWriter::object()
    .text("verdict", to_string(report.verdict()))
    .raw("findings", findings.str())
    .number("unseen_sockets", report.unseen_sockets)
    .str();
}

void print(const ExposureReport & report)
{
  for (const Finding & finding : report.findings) {
    std::cout << (&finding == &report.findings.front() ? "" : "\n") << shown(finding.problem)
              << ":\n  " << finding.mend << ".\n";
  }
  if (report.verdict() == Verdict::closed) {
    std::cout << nothing_exposed << "\n";
  }
  if (const auto unseen = unseen_sentence(report); !unseen.empty()) {
    std::cout << (report.findings.empty() ? "" : "\n") << unseen << "\n";
  }
}

int exit_code(Verdict verdict)
{
  switch (verdict) {
    case Verdict::closed:
      return cli::exit_success;
    case Verdict::unclear:
      return exit_unclear;
    case Verdict::exposed:
      break;
  }
  return exit_exposed;
}

int refuse(const std::string & sentence, int code)
{
  std::cerr << "pqc: " << shown(sentence) << "\n";
  return code;
}

int run(const std::vector<std::string> & words)
{
  const auto arguments = cli::Arguments::parse(
    words, {"--config", "--node", "--allow", "--proc-root"}, {"--json", "--help", "-h"});
  if (!arguments) {
    return refuse(arguments.error().message, cli::exit_usage);
  }
  if (arguments->has("--help") || arguments->has("-h")) {
    std::cout << usage;
    return cli::exit_success;
  }
  if (!arguments->rest().empty()) {
    return refuse(
      "\"" + arguments->rest().front() + "\" is too much: see pqc exposure --help",
      cli::exit_usage);
  }
  const auto options = read_options(*arguments);
  if (!options) {
    return refuse(options.error().message, cli::exit_usage);
  }
  const auto machine = read_machine_sockets(arguments->value("--proc-root").value_or("/proc"));
  if (!machine) {
    return refuse(machine.error().message, exit_unclear);
  }
  const ExposureReport report = judge_exposure(*machine, *options);
  if (arguments->has("--json")) {
    std::cout << to_json(report) << "\n";
  } else {
    print(report);
  }
  return exit_code(report.verdict());
}

}  // namespace
}  // namespace pqc_tunnel::exposure

int main(int argc, char ** argv)
{
  const pqc_tunnel::cli::ShownStream output(std::cout);
  const pqc_tunnel::cli::ShownStream errors(std::cerr);
  try {
    return pqc_tunnel::exposure::run({argv + 1, argv + argc});
  } catch (const std::exception & error) {
    std::cerr << "pqc: " << pqc_tunnel::shown(error.what()) << ".\n";
    return pqc_tunnel::exposure::exit_unclear;
  }
}
