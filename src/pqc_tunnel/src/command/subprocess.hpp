// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__COMMAND__SUBPROCESS_HPP_
#define PQC_TUNNEL__COMMAND__SUBPROCESS_HPP_

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace pqc_tunnel::cli
{

// The exit code of a process that has ended; 128 and its number for a signal. Waits for the end.
int wait_for(pid_t process);

// Runs a program of $PATH; its messages go to standard error. Returns its exit code, 127 without such a program.
int run_program(const std::vector<std::string> & words);
// The same, and returns its standard output; empty if it failed. Its messages are discarded.
std::string output_of(const std::vector<std::string> & words);

// Starts a program in a session of its own: no terminal, signals as for a new login, output to the end of a file.
// Returns its process id, or -1 with errno set.
pid_t start_in_background(
  const std::vector<std::string> & words, const std::filesystem::path & log);

}  // namespace pqc_tunnel::cli

#endif  // PQC_TUNNEL__COMMAND__SUBPROCESS_HPP_
