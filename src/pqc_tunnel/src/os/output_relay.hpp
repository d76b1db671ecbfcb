// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__OS__OUTPUT_RELAY_HPP_
#define PQC_TUNNEL__OS__OUTPUT_RELAY_HPP_

#include <memory>
#include <string>

namespace pqc_tunnel
{

// Stands between this process and whoever reads its standard output or standard error, so that
// writing to the descriptor, from any library, never waits for the reader and never raises SIGPIPE.
//
// The descriptor becomes a pipe. One thread empties it into bounded memory, another one writes from
// there to the original. Lines that find no room are dropped, and their number is reported on
// standard error once the reader goes on.
//
// O_NONBLOCK on the original would take one line instead, but it belongs to the open file, which
// others share: the shell on the same terminal, the other nodes of a launch. A second open file of
// our own, through /proc/self/fd, exists neither for sockets (journald) nor for terminals of
// another user.
class OutputRelay
{
public:
  // `fd`: STDOUT_FILENO or STDERR_FILENO. If it is closed, it becomes /dev/null: whatever is opened
  // next would get its number, and the log with it. `program` begins the reports. Throws std::system_error if the system has no pipe or thread to give.
  OutputRelay(int fd, const std::string & program);
  // Gives the reader a second to take what is left. If it does, the descriptor is the original
  // again; if not, the rest is lost.
  ~OutputRelay();
  OutputRelay(const OutputRelay &) = delete;
  OutputRelay & operator=(const OutputRelay &) = delete;

private:
  class Lines;
  int fd_ = -1;
  std::shared_ptr<Lines> lines_;  // shared with the threads, which a reader may keep for ever
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__OS__OUTPUT_RELAY_HPP_
