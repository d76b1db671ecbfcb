// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <iostream>
#include <string>
#include <vector>

#include "config/exposure_parameters.hpp"
#include "exposure/exposure.hpp"
#include "pqc_tunnel/base/shown_text.hpp"
#include "pqc_tunnel/command_line/arguments.hpp"
#include "pqc_tunnel/command_line/json_writer.hpp"
#include "pqc_tunnel/net/address.hpp"
#include "subcommand.hpp"

namespace pqc_tunnel::cli
{
namespace
{

constexpr int exit_exposed = 1;
constexpr int exit_unclear = 3;

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
          add_config(file, arguments.value("--node").value_or(default_node), options);
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
      return exit_success;
    case Verdict::unclear:
      return exit_unclear;
    case Verdict::exposed:
      break;
  }
  return exit_exposed;
}

}  // namespace

Result<int> exposure(const Arguments & arguments)
{
  const auto options = read_options(arguments);
  if (!options) {
    return fail(ErrorCode::invalid_argument, options.error().message);
  }
  const auto machine = read_machine_sockets(arguments.value("--proc-root").value_or("/proc"));
  if (!machine) {
    std::cerr << "pqc: " << machine.error().message << "\n";
    return exit_unclear;  // exit code 1 means "exposed"
  }
  const ExposureReport report = judge_exposure(*machine, *options);
  if (arguments.has("--json")) {
    std::cout << to_json(report) << "\n";
  } else {
    print(report);
  }
  return exit_code(report.verdict());
}

}  // namespace pqc_tunnel::cli
