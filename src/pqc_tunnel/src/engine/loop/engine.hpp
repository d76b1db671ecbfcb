// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__ENGINE__LOOP__ENGINE_HPP_
#define PQC_TUNNEL__ENGINE__LOOP__ENGINE_HPP_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>
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
#include "protocol/wire/control_frame.hpp"

namespace pqc_tunnel
{

// The snapshots of all peers by PeerIndex. Copies share them, and one of a peer that is the same object is the same.
class PeerSnapshots
{
public:
  using Shared = std::shared_ptr<const PeerSnapshot>;
  // Goes through the peers that are served.
  class Iterator
  {
  public:
    Iterator(const Shared * at, const Shared * end) : at_(at), end_(end) { skip(); }
    const PeerSnapshot & operator*() const { return **at_; }
    Iterator & operator++() { return ++at_, skip(), *this; }
    bool operator==(const Iterator &) const = default;

  private:
    void skip()
    {
      at_ = std::find_if(at_, end_, [](const Shared & one) { return one->served; });
    }

    const Shared * at_;
    const Shared * end_;
  };

  std::size_t size() const { return all_.size(); }
  const PeerSnapshot & operator[](std::size_t peer) const { return *all_[peer]; }
  const PeerSnapshot & at(std::size_t peer) const { return *all_.at(peer); }
  const PeerSnapshot & front() const { return *all_.front(); }
  Iterator begin() const { return Iterator(all_.data(), all_.data() + all_.size()); }
  Iterator end() const { return Iterator(all_.data() + all_.size(), all_.data() + all_.size()); }

  std::vector<PeerIndex> served() const
  {
    std::vector<PeerIndex> indices;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (all_[i]->served) {
        indices.push_back(PeerIndex{static_cast<std::uint32_t>(i)});
      }
    }
    return indices;
  }
  const Shared & shared(std::size_t peer) const { return all_.at(peer); }
  void add() { all_.push_back(std::make_shared<PeerSnapshot>()); }
  void set(std::size_t peer, PeerSnapshot snapshot)
  {
    all_[peer] = std::make_shared<PeerSnapshot>(std::move(snapshot));
  }

private:
  std::vector<Shared> all_;
};

struct EngineSnapshot
{
  Instant time;    // when it was taken
  Instant oldest;  // when that of each peer was taken, at the earliest
  PeerSnapshots peers;
  std::vector<LinkStatus> links;  // in order
  StrangerCounters strangers;
  std::uint64_t hellos_discarded = 0;  // they exceeded the share of time for hellos
  std::uint64_t jobs_run = 0;          // public-key operations on the worker threads
  bool running = true;
};

struct EnginePorts  // as bound
{
  std::uint16_t datagram = 0;            // UDP port of the first link; 0: serial
  std::vector<std::uint16_t> links;      // UDP ports, in order; 0: serial
  std::vector<std::uint16_t> plaintext;  // UDP ports at the start, by PeerIndex
};

struct EchoReply
{
  bool sent = false;  // false: no keys, no such link, or the tunnel has stopped
  Duration round_trip{};
  std::size_t frame_bytes = 0;  // of the answer
  EchoResponse response;
};
struct PendingEcho
{
  std::uint32_t number = 0;  // counts up
  // Ready when the peer has answered, or once it is known that there is nothing to wait for; broken if many later ones
  // have been asked meanwhile.
  std::future<EchoReply> reply;
};

// A running tunnel with its packet thread and its workers. The owner exchanges data with them through
// a mailbox. Every member may be called from any thread.
class Engine
{
public:
  // Loads the identities, binds every socket and starts the threads. `on_activity` is called on an
  // internal thread when take_events() or take_rekey_replies() has something new: it must only wake
  // the caller's loop.
  static Result<std::unique_ptr<Engine>> start(
    EngineConfig config, std::function<void()> on_activity = {});
  ~Engine();  // calls stop()
  Engine(const Engine &) = delete;
  Engine & operator=(const Engine &) = delete;

  // Ends the threads, wipes the keys and closes the sockets. May be called again.
  void stop();
  // Reads the keys of this end anew. A ground station serves the drones that its folder has now; a drone whose keys stay
  // loses no datagram. Blocks for the disk. The sentence says what has changed and what could not be used; an error
  // that nothing has changed.
  Result<std::string> reload();
  // Blocks until the engine has stopped. Returns an error if a failure stopped it.
  Result<void> wait();

  const EngineConfig & config() const;
  const EnginePorts & ports() const;

  // Returns a snapshot that is at most 100 ms old and newer than the last event. It is taken for the caller, who waits for
  // that, but for no longer than 100 ms.
  EngineSnapshot snapshot() const;
  // Returns the newest snapshot that was taken. Those of peers are newer than their last events.
  EngineSnapshot latest() const;
  // Returns the new events, oldest first. The queue is bounded: it drops the oldest events of the peer with the most.
  std::vector<Event> take_events();

  // Requests new keys of a suite, by id; empty: of the same suite. take_rekey_replies() returns the reply,
  // even to an invalid request.
  RekeyId request_rekey(
    PeerIndex peer, std::string suite_id, std::string reason, bool ratchet = false,
    bool one_time_key = false);
  // Requests that a drone fetches the ground station's key for a suite, by id. take_rekey_replies() returns the reply.
  RekeyId request_prefetch(PeerIndex peer, std::string suite_id);
  // GCS: asks a drone to erase all its keys. take_rekey_replies() returns the reply.
  RekeyId request_erasure(PeerIndex peer);
  // Wipes all session keys of the peer, after which a drone begins a new session at once. Blocks until
  // they are wiped; returns false if the engine has stopped.
  bool wipe(PeerIndex peer);
  std::vector<RekeyReply> take_rekey_replies();

  // Asks the peer to answer, with a frame of so many bytes, or of the fewest.
  PendingEcho echo(PeerIndex peer, std::size_t frame_bytes = 0);

  // Sends a few bytes to the peer's programs, sealed. The notice is lost without a session, or if a newer one of its
  // kind comes before it may leave.
  void send_notice(PeerIndex peer, const Notice & notice);
  // Returns the notices of the peers, oldest first, from a queue bounded like that of the events.
  std::vector<NoticeArrived> take_notices();

private:
  class Impl;
  explicit Engine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__LOOP__ENGINE_HPP_
