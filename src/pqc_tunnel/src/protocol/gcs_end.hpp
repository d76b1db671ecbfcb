// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__GCS_END_HPP_
#define PQC_TUNNEL__PROTOCOL__GCS_END_HPP_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "admission.hpp"
#include "backoff.hpp"
#include "connection_end.hpp"
#include "handshake_server.hpp"
#include "hello_pool.hpp"
#include "likely_cause.hpp"
#include "output.hpp"
#include "peer.hpp"
#include "repeated_failure.hpp"

namespace pqc_tunnel
{

// The ground station's half: answers handshakes of many drones, makes keys ready when a drone announces a rekey, and
// never starts one itself.
class GcsEnd
{
public:
  // `peers` are the drones in the order of `drones`; both live as long as this.
  GcsEnd(
    const TunnelSettings & settings, GcsIdentity identity, std::vector<DroneRecord> drones,
    RandomSource & random, Outbox & outbox, std::vector<Peer> & peers);

  bool handle_accepted(ConnectionId connection, const Endpoint & from, Instant now);
  void handle_stream(ConnectionId connection, ByteView bytes, Instant now);
  void handle_closed(ConnectionId connection, const ConnectionEnd & end, Instant now);
  void handle_job_result(JobId id, JobResult result, Instant now);
  void handle_received(PeerIndex peer, const Peer::Received & received, Instant now);
  void handle_timeout(Instant now);
  Instant next_timeout() const;

  void request_rekey(const RekeyCommand & command, Instant now);

  void describe(PeerSnapshot & snapshot, PeerIndex peer, Instant now) const;
  const StrangerCounters & strangers() const { return strangers_; }

private:
  struct Connection
  {
    HandshakeServer server;
    Endpoint from;
    Instant deadline;
    Instant started;
    bool admitted = true;  // still counted as a stranger
    std::optional<PeerIndex> drone;
    const Suite * suite = nullptr;
    std::optional<SessionId> rekeyed_session;
    Epoch epoch{};
  };
  // A rekey requested on this side, until the drone has done it.
  struct PendingRekey
  {
    RekeyCommand command;
    const Suite * suite;
    std::uint32_t transaction;
    Backoff retry;
    Instant next_try;
    Instant deadline;
  };
  struct HandshakeJob
  {
    ConnectionId connection;
    PeerIndex drone;
  };
  struct Drone
  {
    DroneRecord record;
    SharedPskKeys psk;
    std::optional<PendingRekey> pending_rekey;
    std::optional<std::uint32_t> announced;  // transaction of the latest rekey
    bool announced_new_session = false;      // it is a new session, after epoch 255
    std::deque<Random32> seen_randoms;  // of rekey hellos, so that a replayed one is challenged
    std::optional<ConnectionId> connection;
    bool job_at_work = false;  // for its handshake, or for one that it has abandoned
    HandshakeTiming timing;
    std::uint32_t handshakes = 0;
    std::uint32_t rekeys = 0;
    std::uint32_t rollbacks = 0;
    bool pending_is_rekey = false;
    bool lost = false;
    std::optional<FailedHandshake> failed;     // the newest handshake, if it failed
    std::optional<Instant> unconfirmed_since;  // a handshake completed; no datagram since
    std::optional<Instant> next_silence_report;
    bool wrong_key = false;  // since the last session, a hello with its id had another key
    RepeatedFailure failures;
  };

  Drone & drone(PeerIndex index) { return drones_[static_cast<std::size_t>(index)]; }
  const Drone & drone(PeerIndex index) const { return drones_[static_cast<std::size_t>(index)]; }
  Peer & peer(PeerIndex index) { return peers_[static_cast<std::size_t>(index)]; }

  void handle_step(ConnectionId id, ServerStep step, Instant now);
  void handle_hello(ConnectionId id, const ClientHello & hello, Instant now);
  void admit(
    ConnectionId id, PeerIndex index, const ClientHello & hello, const Suite & suite, Instant now);
  void handle_done(ConnectionId id, ServerDone done, Instant now);
  void handle_failed(ConnectionId id, const HandshakeFailed & failed, Instant now);
  void refuse(
    ConnectionId id, PeerIndex index, RejectReason reason, const std::string & text, Instant now);
  void close(ConnectionId id);
  void forget(ConnectionId id);
  void release(Connection & connection);
  void report_stranger(std::uint64_t & counter, const std::string & text, Instant now);
  void report_failed(
    PeerIndex index, EventKind kind, const FailedHandshake & failed, const Connection & connection,
    Instant now);
  std::optional<EventSeverity> severity_of_try(PeerIndex index) const;
  void report_missing_datagrams(PeerIndex index, Instant now);
  PeerFacts facts(PeerIndex index, Instant now) const;
  std::optional<PeerIndex> find_drone(const DroneId & id) const;
  // Why the suite can't be used with the drone; empty if it can.
  std::string objection(const Suite & suite, const Drone & drone) const;
  std::vector<const Suite *> usable_suites(const Drone & drone) const;

  void handle_control(PeerIndex index, const ControlFrame & frame, Instant now);
  void handle_prepare(
    PeerIndex index, std::uint32_t transaction, const Prepare & prepare, Instant now);
  void handle_prepared(JobResult result, Instant now);
  void fill_pool(Instant now);
  void want_likely_suites();
  void handle_promoted(PeerIndex index, Instant now);
  void answer(PeerIndex index, bool success, const std::string & message, Instant now);
  KeyId next_key_id();

  const TunnelSettings & settings_;
  GcsIdentity identity_;
  PolicyHash policy_hash_;
  RandomSource & random_;
  Outbox & outbox_;
  std::vector<Peer> & peers_;
  std::vector<Drone> drones_;
  PskKeys stranger_psk_;  // a random key: an unknown drone id costs the same MAC as a known one
  Admission admission_;
  std::unordered_map<std::uint64_t, Connection> connections_;
  std::unordered_map<std::uint64_t, HandshakeJob> handshake_jobs_;
  HelloPool pool_;
  std::optional<JobId> pool_job_;
  KeyId boot_;  // random first half; a counter is the second half
  std::uint64_t key_counter_ = 0;
  std::uint32_t next_transaction_ = 0;
  Instant next_stranger_report_;
  StrangerCounters strangers_;
  RepeatedFailure stranger_reports_;
  Instant last_stranger_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__GCS_END_HPP_
