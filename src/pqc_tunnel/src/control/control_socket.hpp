// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CONTROL__CONTROL_SOCKET_HPP_
#define PQC_TUNNEL__CONTROL__CONTROL_SOCKET_HPP_

#include <poll.h>
#include <sys/un.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "os/file_descriptor.hpp"

namespace pqc_tunnel::cli
{

Result<sockaddr_un> control_address(const std::filesystem::path & path);

// A local socket, for its owner only, that reads one line per connection and answers with one.
class ControlSocket
{
public:
  static Result<ControlSocket> open(const std::filesystem::path & path);
  ControlSocket(ControlSocket && other) noexcept = default;
  ControlSocket & operator=(ControlSocket &&) = delete;
  ~ControlSocket();  // removes the path

  // Returns what to poll: the listener, every caller that has not sent its line yet, and every one that has not taken its
  // answer.
  std::vector<pollfd> descriptors() const;
  // Returns the moment in which a caller has hesitated for too long.
  Instant next_timeout() const;

  struct Request
  {
    std::uint64_t caller;
    std::vector<std::string> words;
  };
  // Accepts new callers, reads their lines and goes on with answers. Ends connections of callers that hesitate.
  std::vector<Request> handle_ready();
  // Answers, as the caller takes it, and then closes the connection.
  void answer(std::uint64_t caller, const std::string & line);

private:
  struct Caller
  {
    FileDescriptor fd;
    Instant since;  // the last step that the caller took
    std::string line;
    bool asked = false;
    std::string answer;  // what is left of it

    // It is the caller's turn.
    bool hesitates() const { return !asked || !answer.empty(); }
  };
  ControlSocket(FileDescriptor listener, std::filesystem::path path);
  void accept_callers();
  bool make_room();
  static bool send_more(Caller & caller);
  std::optional<Request> read_line(std::uint64_t number, Caller & caller);

  FileDescriptor listener_;
  std::filesystem::path path_;
  std::uint64_t last_caller_ = 0;
  std::map<std::uint64_t, Caller> callers_;
};

// The client: sends one line and returns the answer. Waits for it up to `limit`; zero: as long as it takes.
Result<std::string> ask(
  const std::filesystem::path & path, const std::string & line, std::chrono::seconds limit);

}  // namespace pqc_tunnel::cli

#endif  // PQC_TUNNEL__CONTROL__CONTROL_SOCKET_HPP_
