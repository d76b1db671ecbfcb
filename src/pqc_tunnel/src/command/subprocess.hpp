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

inline constexpr int exit_no_program = 127;  // as in a shell

// Runs a program of $PATH; its messages go to standard error. Returns its exit code, or exit_no_program.
int run_program(const std::vector<std::string> & words);
struct Finished
{
  int code = 0;
  std::string output;
};
// The same, and returns its standard output, too. Its messages are discarded.
Finished finish(const std::vector<std::string> & words);
// The same; empty if it failed.
std::string output_of(const std::vector<std::string> & words);

// Starts a program in a session of its own: no terminal, signals as for a new login, output to the end of a file.
// Returns its process id, or -1 with errno set.
pid_t start_in_background(
  const std::vector<std::string> & words, const std::filesystem::path & log);

}  // namespace pqc_tunnel::cli

#endif  // PQC_TUNNEL__COMMAND__SUBPROCESS_HPP_
