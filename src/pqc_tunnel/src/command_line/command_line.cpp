// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <iostream>
#include <optional>

#include "base/nearest_name.hpp"
#include "base/shown_text.hpp"
#include "os/process.hpp"
#include "shown_streams.hpp"

namespace pqc_tunnel::cli
{

namespace
{

using List = std::vector<std::string>;

std::optional<std::uint64_t> parse_number(const std::string & text, NumberRange range)
{
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = std::to_string(number) == text;
  return is_whole && number >= range.min && number <= range.max ? std::optional(number)
                                                                : std::nullopt;
}

std::optional<HostPort> parse_address(const std::string & text)
{
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) {
    return std::nullopt;
  }
  std::string host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) {
    host = host.substr(1, host.size() - 2);
  }
  const auto port = parse_number(text.substr(colon + 1), {0, 65535});
  if (!port || (!bracketed && host.find(':') != std::string::npos)) {
    return std::nullopt;
  }
  return HostPort{host, static_cast<std::uint16_t>(*port)};
}

// What CLI11 does by itself otherwise: refuse a second value, take a word after a list into it, and end at an unknown
// word without saying which one is meant.
void prepare(CLI::App & app)
{
  app.allow_extras();
  for (CLI::Option * const option : app.get_options()) {
    option->allow_extra_args(false);
    if (option->get_positional()) {
      option->type_name("");
    } else if (option->get_expected_max() == 1) {
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }
  }
  for (CLI::App * const command : app.get_subcommands(nullptr)) {
    prepare(*command);
  }
}

// The sub-command that was parsed, or the program itself.
const CLI::App & parsed_command(const CLI::App & app)
{
  const auto commands = app.get_subcommands();
  return commands.empty() ? app : parsed_command(*commands.front());
}

std::string whole_name(const CLI::App & app)
{
  return (app.get_parent() == nullptr ? "" : whole_name(*app.get_parent()) + " ") + app.get_name();
}

// What is wrong with a word that nothing takes.
std::string objection(const CLI::App & app, const std::string & word)
{
  List known;
  if (word.starts_with('-')) {
    for (const CLI::Option * option : app.get_options()) {
      known.push_back(option->get_name());
    }
    const std::string name = word.substr(0, word.find('='));
    return "The option " + name + " is unknown" + suggestion(name, known);
  }
  for (const CLI::App * command : app.get_subcommands(nullptr)) {
    known.push_back(command->get_name());
  }
  const std::string see = "ee " + whole_name(app) + " --help.";
  return known.empty()
           ? "\"" + word + "\" is too much: s" + see
           : "There is no command \"" + word + "\"" + suggestion(word, known) + " S" + see;
}

std::string sentence(const CLI::ParseError & error, const CLI::App & app)
{
  std::string text = error.what();
  const std::string name = text.substr(0, text.find_first_of(": "));
  if (error.get_name() == "RequiredError") {
    return name.starts_with('-') ? "The option " + name + " is needed."
                                 : name + " is needed: see " + whole_name(app) + " --help.";
  }
  if (error.get_name() == "ArgumentMismatch" && text.ends_with("missing")) {
    return "The option " + name + " needs a value.";
  }
  return error.get_name() == "ValidationError" ? text.erase(name.size(), 1) : text + ".";
}

}  // namespace

CLI::Option * limit(CLI::Option * option, NumberRange range)
{
  return option->type_name("N")->check([range](const std::string & text) {
    return parse_number(text, range)
             ? ""
             : "is " + text + ", but must be a whole number from " + std::to_string(range.min) +
                 " to " + std::to_string(range.max) + ".";
  });
}

CLI::Option * add_address(
  CLI::App & app, const std::string & name, std::function<void(HostPort)> take,
  const std::string & help, Host host)
{
  const auto store = [take = std::move(take)](const std::string & text) {
    take(parse_address(text).value_or(HostPort()));
  };
  return app.add_option_function<std::string>(name, store, help)
    ->type_name("HOST:PORT")
    ->check([host](const std::string & text) {
      const auto address = parse_address(text);
      return address && (host == Host::optional || !address->host.empty())
               ? ""
               : "is " + text + ", but must be HOST:PORT with a port from 0 to 65535.";
    });
}

int run_program(CLI::App & app, const List & words, const std::function<Result<int>()> & act)
{
  const auto refuse = [program = app.get_name()](const std::string & what, int code) {
    std::cerr << program.substr(0, program.find(' ')) << ": " << shown(what) << "\n";
    return code;
  };
  prepare(app);
  std::string fault;
  try {
    app.parse(List(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp &) {
    std::cout << app.help();
    return exit_success;
  } catch (const CLI::CallForVersion & version) {
    std::cout << version.what() << "\n";
    return exit_success;
  } catch (const CLI::ParseError & error) {
    fault = sentence(error, parsed_command(app));
  }
  const CLI::App & command = parsed_command(app);
  if (const List extra = command.remaining(); !extra.empty()) {
    return refuse(objection(command, extra.front()), exit_usage);
  }
  if (!command.get_subcommands(nullptr).empty()) {
    std::cerr << app.help();
    return exit_usage;
  }
  if (!fault.empty()) {
    return refuse(fault, exit_usage);
  }
  const Result<int> code = act();
  if (code) {
    return *code;
  }
  const bool is_usage = code.error().code == ErrorCode::invalid_argument;
  return refuse(code.error().message, is_usage ? exit_usage : exit_cannot_run);
}

int tool_main(const char * name, Tool tool, int argc, char ** argv)
{
  const ShownStream output(std::cout);
  const ShownStream errors(std::cerr);
  try {
    protect_secrets();
    return tool(argc, argv);
  } catch (const std::exception & error) {
    std::cerr << name << ": " << shown(error.what()) << ".\n";
    return exit_cannot_run;
  }
}

}  // namespace pqc_tunnel::cli
