// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CONTROL__CONTROL_SERVER_HPP_
#define PQC_TUNNEL__CONTROL__CONTROL_SERVER_HPP_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "control_socket.hpp"
#include "engine/loop/engine.hpp"
#include "os/thread.hpp"
#include "os/wake_up.hpp"

namespace pqc_tunnel::cli
{

// Ends the sentence of a tunnel that runs although its control socket could not be opened.
inline constexpr const char * without_control = " The tunnel runs, but pqc cannot show it.";

// Answers the requests of `pqc` at a control socket, on a thread of its own: status, suites, rekey, ratchet, one-time-key,
// prefetch, echo, wipe, erase, reload, stop.
class ControlServer
{
public:
  // The engine must outlive the server. `request_stop` is called on the server's thread for "stop"; without it
  // that request is rejected.
  static Result<std::unique_ptr<ControlServer>> open(
    Engine & engine, const std::filesystem::path & path, std::function<void()> request_stop = {});
  // At the default path of this tunnel; makes its folder.
  static Result<std::unique_ptr<ControlServer>> open_named(
    Engine & engine, const std::string & tunnel, std::function<void()> request_stop = {});
  ~ControlServer();
  ControlServer(const ControlServer &) = delete;
  ControlServer & operator=(const ControlServer &) = delete;

  // Passes the reply on to the caller that made the request, if one did. Any thread.
  void answer(const RekeyReply & reply);

private:
  ControlServer(Engine & engine, ControlSocket socket, std::function<void()> request_stop);
  void run();
  void answer_request(const ControlSocket::Request & request);
  void begin_rekey(const ControlSocket::Request & request);
  void begin_prefetch(const ControlSocket::Request & request);
  void begin_erasure(const ControlSocket::Request & request);
  void wipe(const ControlSocket::Request & request);
  void begin_echo(const ControlSocket::Request & request);
  // Answers those whose reply is there, or which have waited long enough.
  void answer_echoes();

  Engine & engine_;
  std::function<void()> request_stop_;
  WakeUp wake_;
  std::mutex mutex_;  // of all that follow
  ControlSocket socket_;
  std::map<RekeyId, std::uint64_t> callers_;  // the caller that waits for each reply
  struct WaitingEcho
  {
    std::uint64_t caller;
    PendingEcho echo;
    Instant until;
  };
  std::vector<WaitingEcho> echoes_;
  bool ended_ = false;
  Thread thread_;
};

}  // namespace pqc_tunnel::cli

#endif  // PQC_TUNNEL__CONTROL__CONTROL_SERVER_HPP_
