// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__COMMON__TOOL_HPP_
#define PQC_TOOLS__COMMON__TOOL_HPP_

#include <iostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pqc_tunnel/command_line/arguments.hpp"
#include "pqc_tunnel/command_line/tool_main.hpp"

namespace pqc_tunnel::cli
{

// A program of the lab. Its command line has options with a value, flags, and nothing else.
struct Tool
{
  const char * name;
  const char * usage;
  std::set<std::string> options;
  std::set<std::string> flags = {};  // --help and -h are added
};

// The main function of a tool. `read(arguments)` returns a Result of what `run` takes; its error is a usage error.
// `run` returns a Result of the exit code; its error ends the tool with exit_cannot_run.
template <class Read, class Run>
int tool_main(Tool tool, int argc, char ** argv, Read read, Run run)
{
  tool.flags.insert({"--help", "-h"});
  return tool_main(tool.name, argc, argv, [&](const std::vector<std::string> & words) {
    const auto refuse = [&tool](const Error & error, int code) {
      std::cerr << tool.name << ": " << error.message << "\n";
      return code;
    };
    const auto arguments = Arguments::parse(words, tool.options, tool.flags);
    if (!arguments) {
      return refuse(arguments.error(), exit_usage);
    }
    if (arguments->has("--help") || arguments->has("-h")) {
      std::cout << tool.usage;
      return exit_success;
    }
    if (!arguments->rest().empty()) {
      std::cerr << tool.usage;
      return exit_usage;
    }
    auto options = read(*arguments);
    if (!options) {
      return refuse(options.error(), exit_usage);
    }
    const Result<int> code = run(std::move(*options));
    return code ? *code : refuse(code.error(), exit_cannot_run);
  });
}

}  // namespace pqc_tunnel::cli

#endif  // PQC_TOOLS__COMMON__TOOL_HPP_
