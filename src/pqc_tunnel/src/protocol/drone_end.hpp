// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__DRONE_END_HPP_
#define PQC_TUNNEL__PROTOCOL__DRONE_END_HPP_

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "blacklist.hpp"
#include "connection_end.hpp"
#include "handshake_client.hpp"
#include "likely_cause.hpp"
#include "output.hpp"
#include "peer.hpp"
#include "rekey.hpp"
#include "repeated_failure.hpp"

namespace pqc_tunnel
{

// The drone's half of the protocol: connects, reconnects without end, and is the only one to start rekeys.
class DroneEnd
{
public:
  DroneEnd(
    const TunnelSettings & settings, DroneIdentity identity, const Endpoint & gcs_handshake,
    RandomSource & random, Outbox & outbox, Peer & peer, Instant now);

  void handle_connected(ConnectionId connection, Instant now);
  void handle_stream(ConnectionId connection, ByteView bytes, Instant now);
  void handle_closed(ConnectionId connection, const ConnectionEnd & end, Instant now);
  void handle_job_result(JobId id, JobResult result, Instant now);
  void handle_received(const Peer::Received & received, Instant now);
  void handle_timeout(Instant now);
  Instant next_timeout() const;

  void request_rekey(const RekeyCommand & command, Instant now);
  void set_handshake_endpoint(const Endpoint & endpoint) { gcs_handshake_ = endpoint; }

  void describe(PeerSnapshot & snapshot, Instant now) const;
  std::vector<BlacklistEntry> blacklist(Instant now) const { return blacklist_.entries(now); }

private:
  // One handshake over one connection.
  struct Attempt
  {
    ConnectionId connection;
    HandshakeClient client;
    std::optional<SessionId> rekeyed_session;  // none for a new session
    Epoch epoch;
    Instant started;
    Instant deadline;
    bool connected = false;
    std::optional<JobId> job;
  };
  // The latest rekey that the ground station requested; it repeats the request until it learns the outcome.
  struct GcsRequest
  {
    std::uint32_t transaction;
    bool under_way;
    bool failed;
  };

  void connect(const Suite & suite, bool new_session, Instant now);
  void handle_step(ClientStep step, Instant now);
  void handle_done(HandshakeDone done, Instant now);
  void handle_failed(
    const HandshakeFailed & failed, Instant now,
    ConnectionEnd::Kind end = ConnectionEnd::Kind::closed);
  // That of an event that every new try repeats.
  std::optional<EventSeverity> severity_of_try() const;
  PeerFacts facts(Instant now) const;
  void close_attempt();
  bool is_new_key(const KeyId & id);
  void handle_control(const ControlFrame & frame, Instant now);
  void handle_rekey_request(std::uint32_t transaction, const RekeyRequest & request, Instant now);
  void handle_confirmed(Instant now);
  void handle_loss(Instant now);
  void replace_used_up_keys(Instant now);
  void lose_suite(const HandshakeFailed & failed, Instant now);
  void act(RekeyStep step, Instant now);
  void answer(bool success, const std::string & message, Instant now);
  // Why no rekey to the suite can start now; empty if one can.
  std::string objection(const Suite & suite, Instant now) const;
  std::vector<const Suite *> usable_suites() const;
  void start_rekey(const Suite & suite, const std::string & reason, Instant now);
  bool may_rekey_by_itself() const;
  bool limits_ask_for_rekey(Instant now) const;
  Instant key_age_limit() const;

  const TunnelSettings & settings_;
  DroneIdentity identity_;
  SharedPskKeys psk_;
  PolicyHash policy_hash_;
  Endpoint gcs_handshake_;
  RandomSource & random_;
  Outbox & outbox_;
  Peer & peer_;

  const Suite * suite_;  // of the next new session
  std::optional<Attempt> attempt_;
  std::optional<Instant> next_attempt_;
  Backoff reconnect_;
  bool lost_ = false;                         // keys are there, but the peer is silent
  std::optional<FailedHandshake> failed_;     // the newest new session, if its handshake failed
  std::optional<Instant> unconfirmed_since_;  // a handshake completed; no datagram since
  RepeatedFailure failures_;
  Rekey rekey_;
  bool rekeying_new_session_ = false;  // after the last epoch, a rekey is a new session
  std::optional<RekeyId> asked_here_;  // the rekey under way answers this command
  std::optional<GcsRequest> gcs_request_;
  std::optional<std::uint32_t>
    refused_request_;  // the latest transaction that was reported as refused
  Instant next_own_rekey_;
  std::uint64_t last_connection_ = 0;
  std::uint32_t next_transaction_;
  std::deque<KeyId> seen_keys_;
  Blacklist blacklist_;
  HandshakeTiming timing_;
  std::uint32_t handshakes_ = 0;
  std::uint32_t rekeys_ = 0;
  std::uint32_t rollbacks_ = 0;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__DRONE_END_HPP_
