// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__COMMAND_LINE__TOOL_MAIN_HPP_
#define PQC_TUNNEL__COMMAND_LINE__TOOL_MAIN_HPP_

#include <exception>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "os/process.hpp"
#include "shown_streams.hpp"

namespace pqc_tunnel::cli
{

/// The main function of a tool. Calls protect_secrets() and returns the exit code of run(words); prints an
/// uncaught exception as one sentence and returns exit_cannot_run.
template <class Run>
int tool_main(const char * name, int argc, char ** argv, Run run)
{
  const ShownStream output(std::cout);
  const ShownStream errors(std::cerr);
  try {
    protect_secrets();
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception & error) {
    std::cerr << name << ": " << shown(error.what()) << ".\n";
    return exit_cannot_run;
  }
}

}  // namespace pqc_tunnel::cli

#endif  // PQC_TUNNEL__COMMAND_LINE__TOOL_MAIN_HPP_
