// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <iostream>

#include "config/config.hpp"
#include "daemon_shell.hpp"
#include "os/output_relay.hpp"
#include "parameter_listing.hpp"
#include "pqc_tunnel/command_line/arguments.hpp"
#include "pqc_tunnel/command_line/tool_main.hpp"
#include "status_text.hpp"

namespace pqc_tunnel::cli
{
namespace
{

// Stacks and heaps of the threads, and keys of Classic McEliece.
constexpr std::size_t address_space_bytes = std::size_t{256} << 20;

constexpr const char * usage =
  R"(One end of the tunnel without ROS.

  pqc_tunneld [--config FILE] [--role drone|gcs] [--node NAME] [-p NAME:=VALUE ...]
              [--status FILE|-] [--control SOCKET] [--check]
      FILE is a ROS 2 parameter file; the parameters are those of the ROS node NAME (default
      /pqc/tunnel). -p sets one parameter and overrides the file. --status writes a line of JSON
      each second. --control opens a local socket for ctl. --check checks the parameters and
      exits. SIGUSR1 starts a rekey; SIGINT and SIGTERM stop the program.
  pqc_tunneld ctl --socket SOCKET status | suites | rekey [SUITE [DRONE]]
      Sends a command to a running pqc_tunneld and prints its answer in JSON. SUITE "" keeps the
      suite.
  pqc_tunneld parameters drone|gcs [--json]
      Lists the parameters with their defaults.

Exit codes: 0 stopped by a signal, 1 the tunnel can't run, 2 wrong usage.
)";

int refuse(const Error & error, int code)
{
  std::cerr << "pqc_tunneld: " << error.message << "\n";
  return code;
}

Result<ParameterValues> gather_parameters(const Arguments & arguments)
{
  ParameterValues values;
  for (const std::string & file : arguments.values("--config")) {
    auto loaded = load_parameter_file(file, arguments.value("--node").value_or("/pqc/tunnel"));
    if (!loaded) {
      return loaded;
    }
    for (auto & [name, value] : *loaded) {
      values[name] = std::move(value);
    }
  }
  for (const std::string & text : arguments.values("-p")) {
    auto assignment = parse_parameter_assignment(text);
    if (!assignment) {
      return tl::make_unexpected(assignment.error());
    }
    values[assignment->first] = std::move(assignment->second);
  }
  if (const auto role = arguments.value("--role")) {
    values["role"] = *role;
  }
  return values;
}

Result<EngineConfig> make_config(const Arguments & arguments)
{
  const auto values = gather_parameters(arguments);
  if (!values) {
    return tl::make_unexpected(values.error());
  }
  const auto given = values->find("role");
  const auto * text = given == values->end() ? nullptr : std::get_if<std::string>(&given->second);
  const auto role = text != nullptr ? parse_role(*text) : std::nullopt;
  if (!role) {
    return fail(
      ErrorCode::invalid_argument,
      text == nullptr || text->empty()
        ? "Parameter role is missing; give --role or set it to drone or gcs in the file."
        : "Parameter role is " + *text + ", but must be drone or gcs.");
  }
  return make_engine_config(*role, *values);
}

Result<ShellOptions> read_shell_options(const Arguments & arguments)
{
  ShellOptions options;
  const std::string status = arguments.value("--status").value_or("");
  options.print_status = status == "-";
  if (!status.empty() && !options.print_status) {
    auto file = ReplacedFile::open(status);
    if (!file) {
      return tl::make_unexpected(file.error());
    }
    options.status_file = std::move(*file);
  }
  if (const auto control = arguments.value("--control")) {
    options.control = *control;
  }
  return options;
}

int run_tunnel(const std::vector<std::string> & words)
{
  const auto arguments = Arguments::parse(
    words, {"--config", "--role", "--node", "-p", "--status", "--control"}, {"--check"});
  if (!arguments) {
    return refuse(arguments.error(), exit_usage);
  }
  if (!arguments->rest().empty()) {
    std::cerr << usage;
    return exit_usage;
  }
  auto config = make_config(*arguments);
  if (!config) {
    return refuse(config.error(), exit_cannot_run);
  }
  if (arguments->has("--check")) {
    std::cout << "The configuration of this " << to_string(config->role) << " is good.\n";
    return exit_success;
  }
  if (const auto enough = check_address_space(address_space_bytes); !enough) {
    return refuse(enough.error(), exit_cannot_run);
  }
  end_on_stop_signals();
  const OutputRelay errors(STDERR_FILENO, "pqc_tunneld");
  const OutputRelay output(STDOUT_FILENO, "pqc_tunneld");
  auto options = read_shell_options(*arguments);
  if (!options) {
    return refuse(options.error(), exit_cannot_run);
  }
  WakeUp activity;
  auto engine = Engine::start(std::move(*config), [&activity] { activity.notify(); });
  if (!engine) {
    return refuse(engine.error(), exit_cannot_run);
  }
  DaemonShell shell(**engine, activity, catch_signals());
  if (const auto opened = shell.open(std::move(*options)); !opened) {
    return refuse(opened.error(), exit_cannot_run);
  }
  std::cerr << log_line("INFO", "The tunnel runs.") << std::endl;
  const bool stopped_by_signal = shell.run();
  const auto ended = (*engine)->wait();
  if (!stopped_by_signal && !ended) {
    return refuse(ended.error(), exit_cannot_run);
  }
  std::cerr << log_line("INFO", "The tunnel has stopped.") << std::endl;
  return exit_success;
}

int control(const std::vector<std::string> & words)
{
  const auto arguments = Arguments::parse(words, {"--socket"}, {});
  if (!arguments) {
    return refuse(arguments.error(), exit_usage);
  }
  const auto socket = arguments->value("--socket");
  if (!socket || arguments->rest().empty()) {
    std::cerr << usage;
    return exit_usage;
  }
  std::string line;
  for (const std::string & word : arguments->rest()) {
    line += (line.empty() ? "" : " ") + (word.empty() ? "-" : word);
  }
  const auto answer = ask(*socket, line);
  if (!answer) {
    return refuse(answer.error(), exit_cannot_run);
  }
  std::cout << *answer << "\n";
  return answer->starts_with("{\"success\": false") ? exit_cannot_run : exit_success;
}

int list_parameters(const std::vector<std::string> & words)
{
  const auto arguments = Arguments::parse(words, {}, {"--json"});
  if (!arguments) {
    return refuse(arguments.error(), exit_usage);
  }
  const auto role =
    arguments->rest().size() == 1 ? parse_role(arguments->rest().front()) : std::nullopt;
  if (!role) {
    std::cerr << usage;
    return exit_usage;
  }
  std::cout << (arguments->has("--json") ? parameters_json(*role) : parameters_text(*role));
  return exit_success;
}

int run(const std::vector<std::string> & words)
{
  const std::string first = words.empty() ? "" : words.front();
  if (first == "--help" || first == "-h") {
    std::cout << usage;
    return exit_success;
  }
  const std::vector<std::string> rest(words.begin() + (words.empty() ? 0 : 1), words.end());
  if (first == "ctl") {
    return control(rest);
  }
  if (first == "parameters") {
    return list_parameters(rest);
  }
  return run_tunnel(words);
}

}  // namespace
}  // namespace pqc_tunnel::cli

int main(int argc, char ** argv)
{
  return pqc_tunnel::cli::tool_main("pqc_tunneld", argc, argv, pqc_tunnel::cli::run);
}
