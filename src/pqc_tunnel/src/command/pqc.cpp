// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <unistd.h>

#include <exception>
#include <filesystem>
#include <iostream>
#include <span>
#include <system_error>

#include "base/shown_text.hpp"
#include "command_line/shown_streams.hpp"
#include "given.hpp"

namespace pqc_tunnel::cli
{
namespace
{

constexpr int exit_no_program = 127;  // as in a shell
// Becomes the program pqc-NAME, beside this one or in $PATH, which parses the words itself.
int become_program(const std::string & name, std::span<const std::string> words)
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
  std::cerr << "pqc: The command " << name << " is in the package pqc_" << name
            << ", which is not installed here.\n";
  return exit_no_program;
}

int run(const std::vector<std::string> & words)
{
  const std::string first = words.empty() ? "" : words.front();
  if (first == "exposure") {
    return become_program(first, std::span(words).subspan(1));
  }
  return run_pqc(first == "help" ? std::vector<std::string>{"--help"} : words);
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
