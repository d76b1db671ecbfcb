// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__ENGINE__LOOP__ENGINE_HPP_
#define PQC_TUNNEL__ENGINE__LOOP__ENGINE_HPP_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "config/engine_config.hpp"
#include "engine/sockets/link.hpp"
#include "os/clock.hpp"
#include "protocol/peer/output.hpp"
#include "protocol/rekey/rekey_command.hpp"
#include "protocol/session/event.hpp"
#include "protocol/session/snapshot.hpp"

namespace pqc_tunnel
{

struct EngineSnapshot
{
  Instant time;                     // when it was taken
  std::vector<PeerSnapshot> peers;  // by PeerIndex
  std::vector<LinkStatus> links;    // in order
  StrangerCounters strangers;
  std::uint64_t hellos_discarded = 0;  // beyond the share of time for hellos
  std::uint64_t jobs_run = 0;          // public-key operations on the worker threads
  bool running = true;
};

// A program that holds an engine says this at SIGHUP: a terminal that closes must not end a flight.
inline constexpr const char * hang_up_ignored =
  "SIGHUP changes nothing: parameters and keys are read at the start. Restart the tunnel to apply "
  "changes.";

struct EnginePorts  // as bound
{
  std::uint16_t datagram = 0;            // of the first link; 0: it is serial
  std::vector<std::uint16_t> links;      // in order; 0: serial
  std::vector<std::uint16_t> plaintext;  // by PeerIndex
};

// A running tunnel: its packet thread and its workers. The thread that holds it talks to them
// through a mailbox; every member may be called from any thread.
class Engine
{
public:
  // Loads the identities, binds every socket and starts the threads. `on_activity` is called on an
  // internal thread when take_events() or take_rekey_replies() has something new: it must only wake
  // the caller's loop.
  static Result<std::unique_ptr<Engine>> start(
    EngineConfig config, std::function<void()> on_activity = {});
  ~Engine();  // stops
  Engine(const Engine &) = delete;
  Engine & operator=(const Engine &) = delete;

  // Ends the threads, wipes the keys, closes the sockets. May be repeated.
  void stop();
  // Blocks until the engine has stopped; an error if it could not go on.
  Result<void> wait();

  const EngineConfig & config() const;
  const EnginePorts & ports() const;

  // At most 100 ms old; taken anew after every event.
  EngineSnapshot snapshot() const;
  // Oldest first. Bounded: if they are not taken, the oldest of the peer with the most are dropped.
  std::vector<Event> take_events();

  // Suite by id; empty: the same suite, fresh keys. The reply comes through take_rekey_replies(),
  // also for bad requests.
  RekeyId request_rekey(
    PeerIndex peer, std::string suite_id, std::string reason, bool ratchet = false);
  // Wipes all session keys of the peer; a drone begins a new session at once. Returns after they
  // are wiped; false if the engine has stopped.
  bool wipe(PeerIndex peer);
  std::vector<RekeyReply> take_rekey_replies();

  // A few bytes for the peer's programs, sealed; lost if there is no session, or if a newer one of the same kind comes
  // before it may leave.
  void send_notice(PeerIndex peer, const Notice & notice);
  // Those of the peers, oldest first. Bounded like the events.
  std::vector<NoticeArrived> take_notices();

private:
  class Impl;
  explicit Engine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__LOOP__ENGINE_HPP_
