// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__GCS_END_HPP_
#define PQC_TUNNEL__PROTOCOL__GCS_END_HPP_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "backoff.hpp"
#include "handshake_failure.hpp"
#include "hello_gate.hpp"
#include "likely_cause.hpp"
#include "output.hpp"
#include "peer.hpp"
#include "prekey_pool.hpp"
#include "repeated_failure.hpp"
#include "token_bucket.hpp"

namespace pqc_tunnel
{

// The ground station's half: answers the sessions and rekeys of many drones, and never starts one itself. State exists for
// registered drones only, and all public-key work is done one job at a time for each.
class GcsEnd
{
public:
  // `peers` are the drones in the order of `drones`; both live as long as this.
  GcsEnd(
    const TunnelSettings & settings, GcsIdentity identity, std::vector<DroneRecord> drones,
    RandomSource & random, Outbox & outbox, std::vector<Peer> & peers);

  void handle_hello(ByteView frame, const Endpoint & from, Instant now);
  void handle_job_result(JobId id, JobResult result, Instant now);
  void handle_received(PeerIndex peer, Peer::Received & received, Instant now);
  void handle_timeout(Instant now);
  Instant next_timeout() const;

  void request_rekey(const RekeyCommand & command, Instant now);
  // `tell`: the drone, which then begins a new session at once.
  void wipe(PeerIndex peer, const std::string & reason, bool tell, Instant now);

  void describe(PeerSnapshot & snapshot, PeerIndex peer, Instant now) const;
  const StrangerCounters & strangers() const { return gate_.strangers(); }

private:
  // A prekey to be made and sent.
  struct Issue
  {
    const Suite * suite;
    std::uint32_t transaction;  // of WANT
    Digest bind;
    std::optional<JobId> job;  // none while an earlier one is at work
    Instant asked;
  };
  // A new session that is being made.
  struct Attempt
  {
    const Suite * suite = nullptr;
    Bytes hello;
    Endpoint from;
    HelloGate::Standing standing{};
    Instant started;
    Instant progress;
    Duration patience{};                  // for progress
    Instant next_later = Instant::max();  // while its prekey is being made
    std::optional<Instant> prekey_sent;   // until the drone answers
    std::optional<PrekeySecret> prekey;
    std::optional<SessionId> made;  // its keys, which the drone has not proved yet
    HandshakeTiming timing;
  };
  // A Finish that is being checked.
  struct Exchange
  {
    const Suite * suite = nullptr;
    Bytes opening;
    Random32 client_random = {};
    Epoch epoch{};
    SessionId session;
    Instant started;
    HandshakeTiming issued;                 // of the prekey
    std::optional<CompleteFinish> waiting;  // for an earlier job
    std::optional<JobId> job;
  };
  // Public-key work of a drone, one job at a time. The live session and the attempt have one lane each: whoever begins
  // sessions with a stolen PSK keeps no rekey waiting.
  struct Lane
  {
    std::optional<Issue> issue;
    std::optional<Exchange> exchange;
    std::optional<JobId> job;  // at work, even if abandoned

    bool working() const { return issue || exchange; }
    void abandon() { issue.reset(), exchange.reset(); }
  };
  // A rekey requested on this side, until the drone has done it.
  struct PendingRekey
  {
    RekeyCommand command;
    const Suite * suite;
    std::uint32_t transaction;
    Epoch epoch_before{};
    Backoff retry;
    Instant next_try;
    Instant deadline;
  };
  // A prekey that the drone holds, until it expires.
  struct HeldPrekey
  {
    PrekeySecret secret;
    Instant expires;
  };
  struct Drone
  {
    DroneRecord record;
    SharedPskKeys psk;
    std::optional<Attempt> attempt;
    Lane session_lane;
    Lane boot_lane;
    TokenBucket ratchet_tokens{100, 20};  // each costs a MAC and more
    FrameOrder newest_exchange;  // of the drone's RATCHET or Rekey; older ones are given up
    std::vector<HeldPrekey> prekeys;
    std::size_t longest_rekey = 0;              // with any prekey of this session, expired ones too
    TokenBucket want_tokens{4, 1};              // for prekeys of the live session
    std::optional<std::uint32_t> refused_want;  // the latest that was reported
    std::optional<std::uint32_t> answered_want;  // the latest whose prekey was sent
    std::optional<PendingRekey> pending_rekey;
    SessionId session;  // the live one
    Epoch epoch{};
    Digest session_transcript = {};  // th3 of its epoch 0
    HandshakeTiming timing;
    std::uint32_t handshakes = 0;
    std::uint32_t rekeys = 0;
    std::uint32_t ratchets = 0;
    std::uint32_t rollbacks = 0;
    std::optional<Instant> lost_since;
    std::optional<FailedHandshake> failed;  // the newest attempt, if it failed
    Instant failed_at;
    std::optional<Instant> unconfirmed_since;  // a session was made; nothing since
    std::optional<Instant> next_silence_report;
    Duration round_trip{};                // of the newest attempt
    std::uint32_t unanswered_hellos = 0;  // first hellos since something else of it arrived
    bool wrong_key = false;  // since the last session, a hello with its id had another key
    std::optional<VersionHint> other_version;  // of a hello with its id
    Instant heard_of;                // the latest of what unanswered_hellos and wrong_key tell
    std::optional<Instant> crowded;  // the latest hello that proved the PSK and was one too many
    RepeatedFailure failures;

    Lane & lane(Channel channel) { return channel == Channel::boot ? boot_lane : session_lane; }
  };

  Drone & drone(PeerIndex index) { return drones_[static_cast<std::size_t>(index)]; }
  const Drone & drone(PeerIndex index) const { return drones_[static_cast<std::size_t>(index)]; }
  Peer & peer(PeerIndex index) { return peers_[static_cast<std::size_t>(index)]; }

  // --- Sessions (gcs_sessions.cpp) ---
  void note_unproven_hello(std::uint8_t link, Instant now);
  void turn_away(const HelloGate::TurnedAway & stranger, Instant now);
  bool is_live_host(PeerIndex index, const Endpoint & from) const;
  void admit(
    const HelloGate::Admitted & admitted, ByteView frame, const Endpoint & from, Instant now);
  bool gives_way(
    PeerIndex index, const HelloGate::Admitted & newer, const Endpoint & from, Instant now) const;
  void repeat(PeerIndex index, ByteView frame, const Endpoint & from, Instant now);
  void reject(
    PeerIndex index, RejectReason reason, const ClientHello & hello, ByteView frame,
    const Endpoint & to, const std::string & text, Instant now);
  void handle_boot(PeerIndex index, Peer::Received & received, Instant now);
  void end_attempt(PeerIndex index, Instant now);
  void handle_attempt_failed(PeerIndex index, const FailedHandshake & failed, Instant now);
  void watch_attempt(PeerIndex index, Instant now);
  void report_failed(
    PeerIndex index, EventKind kind, const FailedHandshake & failed, const Suite * suite,
    Instant now);
  void report_missing_datagrams(PeerIndex index, Instant now);
  std::optional<EventSeverity> severity_of_try(PeerIndex index) const;

  // --- Key exchanges (gcs_exchanges.cpp) ---
  void handle_control(
    PeerIndex index, const ControlFrame & frame, const FrameOrder & order, Instant now);
  void handle_ratchet(
    PeerIndex index, std::uint32_t transaction, const Ratchet & ratchet, const FrameOrder & order,
    Instant now);
  void handle_abort(PeerIndex index, std::uint32_t transaction, const Abort & abort, Instant now);
  void handle_rekey_message(PeerIndex index, Bytes message, const FrameOrder & order, Instant now);
  void begin_exchange(
    PeerIndex index, Channel channel, Exchange exchange, PrekeySecret prekey, ByteView finish,
    Instant now);
  void handle_completed(PeerIndex index, Channel channel, FinishCompleted completed, Instant now);
  void handle_drone_job(PeerIndex index, Channel channel, JobId id, JobResult result, Instant now);
  void handle_job_failed(
    PeerIndex index, Channel channel, const Suite & suite, Epoch epoch, const JobFailed & failed,
    Instant now);
  void send_answers(PeerIndex index, Instant now);

  // --- Prekeys (gcs_prekeys.cpp) ---
  void handle_want(PeerIndex index, std::uint32_t transaction, const Want & want, Instant now);
  void issue(
    PeerIndex index, Channel channel, const Suite & suite, std::uint32_t transaction,
    const Digest & bind, Instant now);
  void start_waiting_job(PeerIndex index, Channel channel, Instant now);
  void handle_issued(PeerIndex index, Channel channel, IssuedPrekey issued, Instant now);
  void expect_rekeys(PeerIndex index);
  std::size_t bytes_to_drones() const;
  static void drop_expired_prekeys(Drone & owner, Instant now);

  void handle_promoted(PeerIndex index, Instant now);
  void begin_live_session(PeerIndex index, const EpochKeys & keys, Instant now);
  void answer(PeerIndex index, bool success, const std::string & message, Instant now);
  void fill_pool(Instant now);
  void want_likely_suites();
  void watch_drone(PeerIndex index, Instant now);
  Instant end_of_patience(std::size_t i) const;
  Instant next_timeout(std::size_t i) const;
  KeyId next_key_id();
  // Why the suite can't be used with the drone; empty if it can.
  std::string objection(const Suite & suite, const Drone & drone) const;
  std::vector<const Suite *> usable_suites(const Drone & drone) const;
  PeerFacts facts(PeerIndex index, Instant now) const;

  const TunnelSettings & settings_;
  GcsIdentity identity_;
  PolicyHash policy_hash_;
  RandomSource & random_;
  Outbox & outbox_;
  std::vector<Peer> & peers_;
  std::vector<Drone> drones_;
  HelloGate gate_;
  PrekeyPool pool_;
  std::optional<JobId> pool_job_;
  KeyId boot_;  // random first half; a counter is the second half
  std::uint64_t key_counter_ = 0;
  std::uint32_t next_transaction_ = 0;
  Instant next_stranger_report_;
  RepeatedFailure stranger_reports_;
  Instant last_stranger_;
  Instant unproven_since_;             // the second in which these are counted
  std::uint64_t unproven_hellos_ = 0;  // with a drone's key, but without a proof of the address
  std::uint64_t unproven_total_ = 0;
  Instant next_recordings_report_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__GCS_END_HPP_
