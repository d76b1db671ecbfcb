// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__OS__OUTPUT_RELAY_HPP_
#define PQC_TUNNEL__OS__OUTPUT_RELAY_HPP_

#include <memory>
#include <string>

namespace pqc_tunnel
{

// Decouples this process from the reader of its standard output or standard error: a write to the descriptor, from any
// library, never blocks on the reader and never raises SIGPIPE.
//
// The descriptor becomes a pipe. One thread reads it into bounded memory, another writes from there to the original. Lines
// that begin without room are dropped, and standard error reports their number once the reader continues. A
// single line of any length passes whole.
//
// O_NONBLOCK on the original is no alternative, because it applies to the open file, which the shell on the same
// terminal or the other nodes of a launch share. Reopening it through /proc/self/fd fails for sockets (journald) and
// for terminals of another user.
class OutputRelay
{
public:
  // `fd` is STDOUT_FILENO or STDERR_FILENO. A closed one becomes /dev/null, because the next opened file would get its
  // number and receive the log. `program` begins the reports. Throws std::system_error without a pipe or thread.
  OutputRelay(int fd, const std::string & program);
  // Waits up to a second for the reader to take the remaining text and restores the original descriptor; otherwise drops
  // the rest.
  ~OutputRelay();
  OutputRelay(const OutputRelay &) = delete;
  OutputRelay & operator=(const OutputRelay &) = delete;

private:
  class Lines;
  int fd_ = -1;
  std::shared_ptr<Lines> lines_;  // shared with the threads, which a reader may block for ever
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__OS__OUTPUT_RELAY_HPP_
