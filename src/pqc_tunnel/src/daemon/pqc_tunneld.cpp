// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <CLI/CLI.hpp>
#include <iostream>

#include "command_line/command_line.hpp"
#include "config/config.hpp"
#include "control/status_text.hpp"
#include "daemon_shell.hpp"
#include "os/output_relay.hpp"
#include "os/process.hpp"
#include "os/service_manager.hpp"
#include "protocol/wire/constants.hpp"

namespace pqc_tunnel::cli
{
namespace
{

// Stacks and heaps of the threads, and keys of Classic McEliece need so much.
constexpr std::size_t address_space_bytes = std::size_t{256} << 20;

constexpr const char * details =
  R"(SIGUSR1 starts a rekey, SIGUSR2 wipes all session keys at once, with every peer; a drone then begins a new
session. SIGHUP reads the keys anew, and on the ground the drones. SIGINT and SIGTERM stop the program.
Exit codes: 0 stopped, 1 cannot run now, 2 cannot run with these options, parameters, files or keys.)";

// The values that a command line gives.
struct Given
{
  std::vector<std::string> files;
  std::vector<std::string> assignments;
  std::string role;
  std::string node = default_node;
  std::optional<std::string> control;
  std::string status;
};

void add_options(CLI::App & app, Given & given)
{
  app.add_option("--config", given.files, "ROS 2 parameter files")->type_name("FILE");
  app.add_option("--role", given.role, "which end this is")->type_name("drone|gcs");
  app.add_option("--node", given.node, "the node in FILE (/pqc/tunnel)")->type_name("NAME");
  app.add_option("-p", given.assignments, "one parameter, which overrides the files")
    ->type_name("NAME:=VALUE");
  app
    .add_option(
      "--control", given.control, "control socket of pqc, instead of the one of control_name")
    ->type_name("SOCKET");
  app.add_option("--status", given.status, "write a line of JSON each second")->type_name("FILE|-");
  app.set_version_flag(
    "--version", std::string("pqc_tunneld ") + PQC_TUNNEL_VERSION + " (protocol " +
                   std::to_string(protocol_version) + ")");
}

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

Result<ParameterValues> gather_parameters(const Given & given)
{
  ParameterValues values;
  for (const std::string & file : given.files) {
    auto loaded = load_parameter_file(file, given.node);
    if (!loaded) {
      return loaded;
    }
    for (auto & [name, value] : *loaded) {
      values[name] = std::move(value);
    }
  }
  for (const std::string & text : given.assignments) {
    auto assignment = parse_parameter_assignment(text);
    if (!assignment) {
      return tl::make_unexpected(assignment.error());
    }
    values[assignment->first] = std::move(assignment->second);
  }
  if (!given.role.empty()) {
    values["role"] = given.role;
  }
  return values;
}

Result<EngineConfig> make_config(const Given & given)
{
  const auto values = gather_parameters(given);
  if (!values) {
    return tl::make_unexpected(values.error());
  }
  const auto role = role_of(*values);
  if (!role) {
    return tl::make_unexpected(role.error());
  }
  return make_engine_config(*role, *values);
}

Result<ShellOptions> read_shell_options(const Given & given)
{
  ShellOptions options;
  options.print_status = given.status == "-";
  if (!given.status.empty() && !options.print_status) {
    auto file = ReplacedFile::open(given.status);
    if (!file) {
      return tl::make_unexpected(file.error());
    }
    options.status_file = std::move(*file);
  }
  options.control = given.control;
  return options;
}

int run_tunnel(const Given & given)
{
  auto config = make_config(given);
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
  auto options = read_shell_options(given);
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
  tell_service_manager("READY=1");
  std::cerr << log_line("INFO", "The tunnel runs.") << std::endl;
  const bool was_asked_to_stop = shell.run();
  const auto ended = (*engine)->wait();
  if (!was_asked_to_stop && !ended) {
    return refuse(ended.error(), exit_cannot_run);
  }
  std::cerr << log_line("INFO", "The tunnel has stopped.") << std::endl;
  return exit_success;
}

int run_tool(int argc, char ** argv)
{
  Given given;
  CLI::App app(
    "One end of the tunnel without ROS. pqc up NAME starts it with /etc/pqc/NAME.yaml.",
    "pqc_tunneld");
  app.footer(details);
  add_options(app, given);
  return run_program(app, {argv + 1, argv + argc}, [&] { return run_tunnel(given); });
}

}  // namespace
}  // namespace pqc_tunnel::cli

int main(int argc, char ** argv)
{
  return pqc_tunnel::cli::tool_main("pqc_tunneld", pqc_tunnel::cli::run_tool, argc, argv);
}
