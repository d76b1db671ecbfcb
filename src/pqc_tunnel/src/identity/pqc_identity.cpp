// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <iostream>

#include "identity_files.hpp"
#include "pqc_tunnel/command_line/arguments.hpp"
#include "pqc_tunnel/command_line/tool_main.hpp"
#include "pqc_tunnel/crypto/algorithms.hpp"
#include "pqc_tunnel/crypto/random.hpp"

namespace pqc_tunnel::cli
{
namespace
{

constexpr const char * usage =
  R"(Makes and shows the keys of drones and their ground station.

  pqc_identity init --out DIR --drone NAME [--drone NAME ...]
                    [--signatures all|LIST] [--drone-signatures none|all|LIST]
      Makes DIR/gcs for the ground station and DIR/NAME for each drone. Carry each folder to its
      machine on a medium that you trust; never send it over a network.
  pqc_identity add-drone --out DIR --drone NAME [--drone NAME ...]
                    [--drone-signatures none|all|LIST]
      Adds drones to DIR/gcs and makes DIR/NAME.
  pqc_identity inspect PATH ...
      Describes files or folders, without secrets.

LIST names signature algorithms, separated by commas: )";

void print_usage(std::ostream & out)
{
  out << usage;
  const char * separator = "";
  for (const SignatureAlgorithm algorithm : all_signatures()) {
    out << separator << token(algorithm);
    separator = ", ";
  }
  out << ".\nDrone signatures are for drone_signature: true. No file is overwritten.\n";
}

Result<std::vector<SignatureAlgorithm>> parse_signatures(const std::string & text)
{
  std::vector<SignatureAlgorithm> chosen;
  if (text == "none") {
    return chosen;
  }
  if (text == "all") {
    for (const SignatureAlgorithm algorithm : all_signatures()) {
      if (availability(algorithm).available) {
        chosen.push_back(algorithm);
      }
    }
    return chosen;
  }
  for (const std::string & name : split(text, ',')) {
    const auto known = all_signatures();
    const auto found = std::find_if(
      known.begin(), known.end(), [&name](SignatureAlgorithm one) { return token(one) == name; });
    if (found == known.end()) {
      return fail(
        ErrorCode::invalid_argument, "\"" + name + "\" is no signature algorithm; see --help.");
    }
    if (const auto & available = availability(*found); !available.available) {
      return fail(
        ErrorCode::unavailable,
        std::string(display_name(*found)) + " is unavailable here: " + available.reason);
    }
    chosen.push_back(*found);
  }
  return chosen;
}

int refuse(const Error & error, int code)
{
  std::cerr << "pqc_identity: " << error.message << "\n";
  return code;
}

int make(const std::string & command, const std::vector<std::string> & words)
{
  const auto arguments =
    Arguments::parse(words, {"--out", "--drone", "--signatures", "--drone-signatures"}, {});
  if (!arguments) {
    return refuse(arguments.error(), exit_usage);
  }
  const auto out = arguments->value("--out");
  if (!out || arguments->values("--drone").empty() || !arguments->rest().empty()) {
    print_usage(std::cerr);
    return exit_usage;
  }
  const auto signatures = parse_signatures(arguments->value("--signatures").value_or("all"));
  const auto drone_signatures =
    parse_signatures(arguments->value("--drone-signatures").value_or("none"));
  for (const auto * parsed : {&signatures, &drone_signatures}) {
    if (!*parsed) {
      return refuse(parsed->error(), exit_usage);
    }
  }
  const IdentityPlan plan{arguments->values("--drone"), *signatures, *drone_signatures};
  SystemRandom random;
  const auto progress = [](const std::string & what) { std::cout << what << std::endl; };
  const auto made = command == "init" ? make_identities(*out, plan, random, progress)
                                      : add_drones(*out, plan, random, progress);
  if (!made) {
    return refuse(made.error(), exit_cannot_run);
  }
  return exit_success;
}

int inspect(const std::vector<std::string> & paths)
{
  if (paths.empty()) {
    print_usage(std::cerr);
    return exit_usage;
  }
  for (const std::string & path : paths) {
    const auto text = describe_identity(path);
    if (!text) {
      return refuse(text.error(), exit_cannot_run);
    }
    std::cout << *text;
  }
  return exit_success;
}

int run(const std::vector<std::string> & words)
{
  const std::string command = words.empty() ? "" : words.front();
  if (command == "--help" || command == "-h") {
    print_usage(std::cout);
    return exit_success;
  }
  const std::vector<std::string> rest(words.begin() + (words.empty() ? 0 : 1), words.end());
  if (command == "init" || command == "add-drone") {
    return make(command, rest);
  }
  if (command == "inspect") {
    return inspect(rest);
  }
  print_usage(std::cerr);
  return exit_usage;
}

}  // namespace
}  // namespace pqc_tunnel::cli

int main(int argc, char ** argv)
{
  return pqc_tunnel::cli::tool_main("pqc_identity", argc, argv, pqc_tunnel::cli::run);
}
