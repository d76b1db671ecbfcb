// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <system_error>

#include "base/nearest_name.hpp"
#include "command_line/shown_streams.hpp"
#include "protocol/wire/constants.hpp"
#include "subcommand.hpp"

namespace pqc_tunnel::cli
{
namespace
{

constexpr int exit_no_program = 127;  // as in a shell
constexpr const char * introduction = "The tunnel of PQC-MAV: keys, start, state and rekeys.\n\n";
constexpr const char * places =
  R"(
pqc COMMAND --help describes a command. NAME may be left out if one tunnel runs.
Configurations are /etc/pqc/NAME.yaml ($PQC_CONFIG_DIR), control sockets /run/pqc/NAME.sock
($PQC_RUN_DIR), for other users than root $XDG_RUNTIME_DIR/pqc/NAME.sock.
)";

int refuse(const std::string & sentence, int code)
{
  std::cerr << "pqc: " << shown(sentence) << "\n";
  return code;
}

// The sub-commands whose name begins with a word: all without one.
void print_list(std::ostream & out, const std::string & first)
{
  out << introduction;
  for (const Subcommand & one : subcommands()) {
    if (first.empty() || one.name.starts_with(first + " ")) {
      out << "  pqc " << std::left << std::setw(20) << one.name << one.summary << "\n";
    }
  }
  out << places;
}

void print_help(std::ostream & out, const Subcommand & one)
{
  std::string summary = one.summary;
  summary.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(summary.front())));
  out << "  pqc " << one.name << " " << one.arguments << "\n\n" << summary << ".\n" << one.details;
}

// The sub-command of these words, and the number of words that name it.
const Subcommand * find(const std::vector<std::string> & words)
{
  const std::string two = words.size() > 1 ? words[0] + " " + words[1] : "";
  const auto all = subcommands();
  const auto found = std::ranges::find_if(
    all, [&](const Subcommand & one) { return one.name == words[0] || one.name == two; });
  return found == all.end() ? nullptr : &*found;
}

int refuse_unknown(const std::vector<std::string> & words)
{
  std::vector<std::string> known;
  bool is_group = false;
  for (const Subcommand & one : subcommands()) {
    known.push_back(one.name);
    is_group |= one.name.starts_with(words[0] + " ");
  }
  const std::string given = is_group && words.size() > 1 ? words[0] + " " + words[1] : words[0];
  if (is_group && words.size() == 1) {
    print_list(std::cerr, words[0]);
    return exit_usage;
  }
  return refuse(
    "There is no command \"" + given + "\"" + suggestion(given, known) + " See pqc --help.",
    exit_usage);
}

// Becomes the program pqc-NAME, beside this one or in $PATH, which parses the words itself.
int become_program(const std::string & name, const std::vector<std::string> & words)
{
  const std::string program = "pqc-" + name;
  std::vector<const char *> arguments{program.c_str()};
  for (const std::string & word : words) {
    arguments.push_back(word.c_str());
  }
  arguments.push_back(nullptr);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): exec leaves the words as they are.
  auto * const argv = const_cast<char * const *>(arguments.data());
  std::error_code unknown;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", unknown);
  ::execv((self.parent_path() / program).c_str(), argv);
  ::execvp(program.c_str(), argv);
  return refuse(
    "The command " + name + " is in the package pqc_" + name + ", which is not installed here.",
    exit_no_program);
}

int run(const Subcommand & one, const std::vector<std::string> & words)
{
  if (one.run == nullptr) {
    return become_program(one.name, words);
  }
  auto flags = one.flags;
  flags.insert({"--help", "-h"});
  const auto arguments = Arguments::parse(words, one.options, flags);
  if (!arguments) {
    return refuse(arguments.error().message, exit_usage);
  }
  if (arguments->has("--help") || arguments->has("-h")) {
    print_help(std::cout, one);
    return exit_success;
  }
  if (arguments->rest().size() > one.words.size()) {
    return refuse(
      "\"" + arguments->rest()[one.words.size()] + "\" is too much: pqc " + one.name + " " +
        one.arguments,
      exit_usage);
  }
  const auto code = one.run(*arguments);
  if (!code) {
    return refuse(
      code.error().message,
      code.error().code == ErrorCode::invalid_argument ? exit_usage : exit_cannot_run);
  }
  return *code;
}

bool is_help(const std::string & word) { return word == "--help" || word == "-h"; }

int run(const std::vector<std::string> & words)
{
  if (words.empty()) {
    print_list(std::cerr, "");
    return exit_usage;
  }
  if (is_help(words[0]) || words[0] == "help") {
    print_list(std::cout, "");
    return exit_success;
  }
  if (words[0] == "complete-words") {
    print_candidates({words.begin() + 1, words.end()});
    return exit_success;
  }
  if (words[0] == "--version") {
    std::cout << "pqc " << PQC_TUNNEL_VERSION << " (protocol " << int{protocol_version} << ")\n";
    return exit_success;
  }
  if (const Subcommand * const one = find(words)) {
    const auto own = std::ranges::count(one->name, ' ') + 1;
    return run(*one, {words.begin() + own, words.end()});
  }
  const auto all = subcommands();
  if (words.size() > 1 && is_help(words[1]) && std::ranges::any_of(all, [&](const auto & one) {
        return one.name.starts_with(words[0] + " ");
      }))
  {
    print_list(std::cout, words[0]);
    return exit_success;
  }
  return refuse_unknown(words);
}

}  // namespace
}  // namespace pqc_tunnel::cli

int main(int argc, char ** argv)
{
  const pqc_tunnel::cli::ShownStream output(std::cout);
  const pqc_tunnel::cli::ShownStream errors(std::cerr);
  try {
    return pqc_tunnel::cli::run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception & error) {
    std::cerr << "pqc: " << pqc_tunnel::shown(error.what()) << ".\n";
    return pqc_tunnel::cli::exit_cannot_run;
  }
}
