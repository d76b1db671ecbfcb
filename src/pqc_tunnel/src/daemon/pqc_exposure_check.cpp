// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "config/exposure_parameters.hpp"
#include "exposure/exposure.hpp"
#include "pqc_tunnel/command_line/arguments.hpp"
#include "pqc_tunnel/command_line/json_writer.hpp"
#include "pqc_tunnel/net/address.hpp"

namespace pqc_tunnel::cli
{
namespace
{

constexpr const char * usage =
  R"(Lists the sockets that send or receive plaintext MAVLink, DDS or Zenoh beyond the loopback interface
of this machine, and how to close each. It reads /proc and sends nothing; run it as root to see every
program.

  pqc_exposure_check [--config FILE ...] [--node NAME] [--allow PROGRAM[:PORT[/udp|/tcp]] ...]
                     [--json] [--proc-root FOLDER]
      FILE is a tunnel's ROS 2 parameter file: the parameters of the node NAME (default /pqc/tunnel)
      contain the encrypted ports of tunnel_node and pqc_tunneld, and exposure.allow. Without a FILE
      the ports of the shipped files count. --allow leaves out sockets that a firewall closes; PORT
      may be *. --json writes one object for scripts. FOLDER is where the proc file system is
      mounted (default /proc).

Exit codes: 0 closed, 1 exposed, 2 usage, 3 unclear.
)";

constexpr int exit_exposed = 1;
constexpr int exit_unclear = 3;

int refuse(const std::string & message, int code)
{
  std::cerr << "pqc_exposure_check: " << message << "\n";
  return code;
}

Result<void> add_config(
  const std::string & file, const std::string & node, ExposureOptions & options)
{
  const auto values = load_parameter_file(file, node);
  if (!values) {
    return tl::make_unexpected(values.error());
  }
  const auto ports = tunnel_ports(*values);
  if (!ports) {
    return fail(ports.error().code, file + ": " + ports.error().message);
  }
  auto allowed = allowed_sockets(*values);
  if (!allowed) {
    return fail(allowed.error().code, file + ": " + allowed.error().message);
  }
  options.ports.add(*ports);
  options.allowed.insert(options.allowed.end(), allowed->begin(), allowed->end());
  return {};
}

Result<ExposureOptions> read_options(const Arguments & arguments)
{
  ExposureOptions options;
  const auto files = arguments.values("--config");
  if (!files.empty()) {
    options.ports = {};
    options.ports_known = true;
  }
  for (const auto & file : files) {
    if (const auto added =
          add_config(file, arguments.value("--node").value_or("/pqc/tunnel"), options);
        !added)
    {
      return tl::make_unexpected(added.error());
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
    std::cout << (&finding == &report.findings.front() ? "" : "\n") << finding.problem << ":\n  "
              << finding.mend << ".\n";
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
      return exit_success;
    case Verdict::unclear:
      return exit_unclear;
    case Verdict::exposed:
      break;
  }
  return exit_exposed;
}

int run(const std::vector<std::string> & words)
{
  const auto arguments = Arguments::parse(
    words, {"--config", "--node", "--allow", "--proc-root"}, {"--json", "--help", "-h"});
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
}  // namespace pqc_tunnel::cli

// Without tool_main: there are no secrets to protect, and exit code 1 means "exposed".
int main(int argc, char ** argv)
{
  try {
    return pqc_tunnel::cli::run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception & error) {
    std::fprintf(stderr, "pqc_exposure_check: %s.\n", error.what());
    return pqc_tunnel::cli::exit_unclear;
  }
}
