// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <iostream>

#include "command_line/arguments.hpp"
#include "command_line/tool_main.hpp"
#include "config/config.hpp"
#include "control/status_text.hpp"
#include "daemon_shell.hpp"
#include "os/output_relay.hpp"
#include "os/service_manager.hpp"
#include "protocol/wire/constants.hpp"

namespace pqc_tunnel::cli
{
namespace
{

// Stacks and heaps of the threads, and keys of Classic McEliece need so much.
constexpr std::size_t address_space_bytes = std::size_t{256} << 20;

constexpr const char * usage =
  R"(One end of the tunnel without ROS. `pqc up NAME` starts it with /etc/pqc/NAME.yaml.

  pqc_tunneld [--config FILE] [--role drone|gcs] [--node NAME] [-p NAME:=VALUE ...]
              [--control SOCKET] [--status FILE|-]
      FILE is a ROS 2 parameter file; the parameters are those of the ROS node NAME (default
      /pqc/tunnel). -p sets one parameter and overrides the file. --control opens the control
      socket of `pqc` at this path instead of the one that control_name names. --status writes a
      line of JSON each second. SIGUSR1 starts a rekey, SIGUSR2 wipes all session keys at once, with
      every peer; a drone then begins a new session. SIGHUP changes nothing. SIGINT and SIGTERM stop
      the program.
  pqc_tunneld --version

Exit codes: 0 stopped, 1 cannot run now, 2 cannot run with these options, parameters, files or keys.
)";

int refuse(const Error & error, int code)
{
  std::cerr << "pqc_tunneld: " << error.message << "\n";
  return code;
}

int refuse(const Error & error)
{
  const bool in_vain =
    error.code == ErrorCode::invalid_argument || error.code == ErrorCode::permission;
  return refuse(error, in_vain ? exit_usage : exit_cannot_run);
}

Result<ParameterValues> gather_parameters(const Arguments & arguments)
{
  ParameterValues values;
  for (const std::string & file : arguments.values("--config")) {
    auto loaded = load_parameter_file(file, arguments.value("--node").value_or(default_node));
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
  const auto role = role_of(*values);
  if (!role) {
    return tl::make_unexpected(role.error());
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

int run_tunnel(const Arguments & arguments)
{
  auto config = make_config(arguments);
  if (!config) {
    return refuse(config.error());
  }
  return_freed_memory();
  if (const auto enough = check_address_space(address_space_bytes); !enough) {
    return refuse(enough.error());
  }
  end_on_stop_signals();
  const OutputRelay errors(STDERR_FILENO, "pqc_tunneld");
  const OutputRelay output(STDOUT_FILENO, "pqc_tunneld");
  auto options = read_shell_options(arguments);
  if (!options) {
    return refuse(options.error());
  }
  WakeUp activity;
  auto engine = Engine::start(std::move(*config), [&activity] { activity.notify(); });
  if (!engine) {
    return refuse(engine.error());
  }
  DaemonShell shell(**engine, activity, catch_signals());
  if (const auto opened = shell.open(std::move(*options)); !opened) {
    return refuse(opened.error());
  }
  report_ready();
  std::cerr << log_line("INFO", "The tunnel runs.") << std::endl;
  const bool was_asked_to_stop = shell.run();
  const auto ended = (*engine)->wait();
  if (!was_asked_to_stop && !ended) {
    return refuse(ended.error(), exit_cannot_run);
  }
  std::cerr << log_line("INFO", "The tunnel has stopped.") << std::endl;
  return exit_success;
}

int run(const std::vector<std::string> & words)
{
  const auto arguments = Arguments::parse(
    words, {"--config", "--role", "--node", "-p", "--status", "--control"},
    {"--help", "-h", "--version"});
  if (!arguments) {
    return refuse(arguments.error(), exit_usage);
  }
  if (arguments->has("--help") || arguments->has("-h")) {
    std::cout << usage;
    return exit_success;
  }
  if (arguments->has("--version")) {
    std::cout << "pqc_tunneld " << PQC_TUNNEL_VERSION << " (protocol " << int{protocol_version}
              << ")\n";
    return exit_success;
  }
  if (!arguments->rest().empty()) {
    std::cerr << usage;
    return exit_usage;
  }
  return run_tunnel(*arguments);
}

}  // namespace
}  // namespace pqc_tunnel::cli

int main(int argc, char ** argv)
{
  return pqc_tunnel::cli::tool_main("pqc_tunneld", argc, argv, pqc_tunnel::cli::run);
}
