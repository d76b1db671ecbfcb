// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "exposure.hpp"
#include "pqc_tunnel/base/shown_text.hpp"
#include "pqc_tunnel/command_line/command_line.hpp"
#include "pqc_tunnel/command_line/json_writer.hpp"
#include "pqc_tunnel/command_line/shown_streams.hpp"
#include "pqc_tunnel/net/address.hpp"

namespace pqc_tunnel::exposure
{
namespace
{

using cli::JsonWriter;

constexpr const char * details =
  R"(Lists the sockets that send or receive plaintext MAVLink, DDS or Zenoh beyond the loopback interface, and
how to close each. It reads /proc and sends nothing; run it as root to see every program.
Exit code: 0 closed, 1 exposed, 2 wrong usage, 3 unclear.)";
constexpr int exit_exposed = 1;
constexpr int exit_unclear = 3;

// The values that a command line gives.
struct Given
{
  std::vector<std::string> files;
  std::vector<std::string> allowed;
  std::string node = default_node;
  std::string proc_root = "/proc";
  bool json = false;
};

void add_options(CLI::App & app, Given & given)
{
  app
    .add_option(
      "--config", given.files,
      "parameter files of the tunnel, with its encrypted ports and exposure.allow; without one "
      "the\n"
      "ports of the shipped files count")
    ->type_name("FILE");
  app.add_option("--node", given.node, "the node in FILE (/pqc/tunnel)")->type_name("NAME");
  app
    .add_option(
      "--allow", given.allowed, "sockets that a firewall closes are left out; PORT may be *")
    ->type_name("PROGRAM[:PORT[/udp|/tcp]]");
  app.add_option("--proc-root", given.proc_root, "the proc file system")->type_name("FOLDER");
  app.add_flag("--json", given.json, "print JSON");
}

Result<ExposureOptions> read_options(const Given & given)
{
  ExposureOptions options;
  if (!given.files.empty()) {
    options.ports = {};
  }
  for (const auto & file : given.files) {
    const auto values = load_parameter_file(file, given.node);
    if (!values) {
      return tl::make_unexpected(values.error());
    }
    if (const auto added = add_parameters(*values, options); !added) {
      return fail(added.error().code, file + ": " + added.error().message);
    }
  }
  for (const auto & text : given.allowed) {
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

Result<int> run(const Given & given)
{
  const auto options = read_options(given);
  if (!options) {
    return fail(ErrorCode::invalid_argument, options.error().message);
  }
  const auto machine = read_machine_sockets(given.proc_root);
  if (!machine) {
    std::cerr << "pqc: " << shown(machine.error().message) << "\n";
    return exit_unclear;
  }
  const ExposureReport report = judge_exposure(*machine, *options);
  if (given.json) {
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
    pqc_tunnel::exposure::Given given;
    CLI::App app("Sockets that carry plaintext beyond this machine.", "pqc exposure");
    app.footer(pqc_tunnel::exposure::details);
    add_options(app, given);
    return pqc_tunnel::cli::run_program(app, {argv + 1, argv + argc}, [&] { return run(given); });
  } catch (const std::exception & error) {
    std::cerr << "pqc: " << pqc_tunnel::shown(error.what()) << ".\n";
    return pqc_tunnel::exposure::exit_unclear;
  }
}
