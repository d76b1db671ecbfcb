// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__DRONE__DRONE_END_HPP_
#define PQC_TUNNEL__PROTOCOL__DRONE__DRONE_END_HPP_

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "fetch_debt.hpp"
#include "protocol/handshake/blacklist.hpp"
#include "protocol/handshake/first_suite.hpp"
#include "protocol/handshake/handshake_failure.hpp"
#include "protocol/handshake/hello_messages.hpp"
#include "protocol/handshake/likely_cause.hpp"
#include "protocol/handshake/prekey_fetch.hpp"
#include "protocol/handshake/prekey_stock.hpp"
#include "protocol/handshake/repeated_failure.hpp"
#include "protocol/peer/output.hpp"
#include "protocol/peer/peer.hpp"
#include "protocol/rekey/rekey.hpp"
#include "protocol/session/token_bucket.hpp"

namespace pqc_tunnel
{

// The drone's half of the protocol: begins sessions without end, and is the only one to start rekeys.
class DroneEnd
{
public:
  DroneEnd(
    const TunnelSettings & settings, DroneIdentity identity, std::vector<Endpoint> gcs_addresses,
    RandomSource & random, Outbox & outbox, Peer & peer, Instant now);

  void handle_hello(ByteView frame, const Endpoint & from, Instant now);
  void handle_job_result(JobId id, JobResult result, Instant now);
  void handle_received(Peer::Received & received, Instant now);
  void handle_timeout(Instant now);
  Instant next_timeout() const;

  void request_rekey(const RekeyCommand & command, Instant now);
  void set_gcs_addresses(std::vector<Endpoint> addresses, Instant now);
  void replace_identity(DroneIdentity identity, Instant now);
  void note_ground_trouble(GroundTrouble trouble) { trouble_ = trouble; }
  void wipe(const std::string & reason, Instant now);

  void describe(PeerSnapshot & snapshot, Instant now) const;
  PeerState state() const;
  std::vector<BlacklistEntry> blacklist(Instant now) const { return blacklist_.entries(now); }

private:
  static constexpr Duration change_first = std::chrono::seconds(10);
  static constexpr Duration change_max = std::chrono::minutes(2);

  // What this drone proves itself with, and the ground station. A rotation replaces all of it.
  struct Credential
  {
    SharedPskKeys psk;
    PublicKeys gcs_keys;
    SigningKeys signing_keys;  // mutual mode
  };
  // The second hello of an attempt, with one challenge; and who has sent that, and gets it.
  struct SecondHello
  {
    Random32 challenge = {};
    Bytes frame;
    std::vector<Endpoint> to;
  };
  // One attempt at a new session.
  struct Attempt
  {
    const Suite * suite = nullptr;
    bool for_rekey = false;
    Credential credential;
    ClientHello hello;
    Resumption former;  // the rms that the hello names
    // The first hello with its MAC; once boot keys are chosen, the second one that they belong to. Until then the second
    // ones, in the order of the boot keys offered to the peer.
    Bytes frame;
    std::vector<SecondHello> second;
    bool challenged = false;
    bool answered = false;  // by a frame under boot keys
    bool probed = false;
    Backoff retry{hello_retry_first, hello_retry_max};
    Instant next_hello;
    Instant hello_sent;  // the newest first hello
    Instant started;
    Instant heard;     // the newest answer
    Instant progress;  // the newest step
    Instant phase;     // when the present phase of the timing began
    std::optional<JobId> job;
    std::optional<FinishMade> finish;  // sent; CONFIRM is awaited
    HandshakeTiming timing;
  };
  // The first hello of an attempt that ended without an answer. On a slow link that comes later.
  struct FormerHello
  {
    const Suite * suite;
    SharedPskKeys psk;
    Bytes frame;
    Instant sent;
  };
  struct LateAnswer
  {
    Duration round_trip;
    Instant at;
  };
  // The Finish of a rekey, or the RATCHET, that is under way.
  struct Exchange
  {
    Bytes opening;
    Epoch epoch{};
    std::optional<JobId> job;
    std::optional<FinishMade> finish;
    Instant finished;  // when it was made
    std::optional<Ratchet> ratchet;
    std::optional<AnchorSecret> anchor;  // of a ratchet with a one-time key
  };
  // A full rekey whose prekey is being fetched. Meanwhile others go on.
  struct WaitingRekey
  {
    const Suite * suite;
    Instant since;
    KeyTraffic traffic;                      // counted before
    bool again = false;                      // the ground station did not know the first prekey
    bool anew = false;                       // it becomes a new session, for which the PSK answers
    std::optional<RekeyId> asked_here = {};  // the command that it answers
    std::optional<std::uint32_t> asked_there = {};  // the request of the ground station, as well
  };
  // Why no rekey can start now, and what the ground station hears of it.
  struct Objection
  {
    std::string text;  // empty: one can start
    AbortReason reason{};
  };
  // The latest rekey that the ground station requested; it repeats the request until it learns the outcome.
  struct GcsRequest
  {
    std::uint32_t transaction;
    bool under_way;
    bool failed;
  };

  // --- Hellos of a session (drone_hellos.cpp) ---
  void begin_session(const Suite & suite, bool for_rekey, Instant now);
  void send_hello(Instant now);
  void send_hello(ByteView frame, const Endpoint & to);
  void handle_retry(ByteView frame, const Endpoint & from, Instant now);
  void handle_other_version(ByteView frame, const Endpoint & from, Instant now);
  Endpoint ground_at(const Endpoint & from) const;
  void handle_late_retry(ByteView frame, Instant now);
  void handle_reject(ByteView frame, Instant now);

  // --- Sessions (drone_sessions.cpp) ---
  const Suite & suite_of_next_session(Instant now) const;
  void handle_boot(Peer::Received & received, Instant now);
  void note_answered(Instant now);
  void handle_boot_control(const ControlFrame & frame, Instant now);
  void handle_attempt_job(JobResult result, Instant now);
  void handle_session_made(Instant now);
  void forget_failure(HandshakeFailure failure);
  void handle_attempt_failed(const FailedHandshake & failed, Instant now);
  void end_attempt(Instant now);
  void watch_attempt(Instant now);
  // The attempt waits so long for any answer of the ground station.
  Duration patience() const { return answer_patience + std::min(round_trip_, longest_round_trip); }
  Instant end_of_patience() const;
  Instant attempt_timeout() const;
  std::optional<EventSeverity> severity_of_try() const;
  void handle_silence(Instant now);
  void handle_wiped(Instant now);
  void handle_loss(Instant now);
  void handle_return(Instant now);

  // --- Rekeys (drone_rekeys.cpp) ---
  void handle_control(const ControlFrame & frame, Instant now);
  void handle_rekey_request(std::uint32_t transaction, const RekeyRequest & request, Instant now);
  void handle_confirmed(Instant now);
  void handle_exchange_job(JobResult result, Instant now);
  void handle_confirm(const Confirm & confirm, Instant now);
  void handle_ratchet_ok(std::uint32_t transaction, const RatchetOk & ok, Instant now);
  void act(RekeyStep step, Instant now);
  void answer(bool success, const std::string & message, Instant now);
  void note_bytes();
  void make_finish(Instant now);
  void begin_ratchet();
  void send_ratchet(Instant now);
  void install(EpochSecrets secrets, const EpochName & name, Instant now);
  void send_under(std::unique_ptr<EpochKeys> keys);
  // Returns the suite that a command names, or the one in use.
  Result<const Suite *> suite_of(const RekeyCommand & command) const;
  std::string suite_fault(const Suite & suite, Instant now) const;
  std::string obstacle(const Suite & suite, RekeyKind kind, Instant now) const;
  Objection objection(const Suite & suite, RekeyKind kind, Instant now) const;
  std::string anchor_objection(const Suite & suite, RekeyKind kind) const;
  void start_rekey(const Suite & suite, RekeyKind kind, const std::string & reason, Instant now);
  void drop_exchange(Instant now);
  bool may_rekey_by_itself() const;
  Instant renewal_due() const;
  void change_to_configured(Instant now);
  void renew_keys(Instant now);
  void replace_used_up_keys(Instant now);

  // --- The rekey that waits for its key (drone_waiting_rekey.cpp) ---
  bool waits_for(const Suite & suite) const;
  void wait_for_key(const WaitingRekey & rekey, Instant now);
  void watch_waiting_rekey(Instant now);
  void begin_waiting_rekey(Instant now);
  void begin_waiting_rekey_anew(Instant now);
  void give_up_waiting_rekey(const std::string & text, Instant now);

  // --- Prekeys (drone_prekeys.cpp) ---
  using Fetch = std::optional<PrekeyFetch>;
  static StreamLane lane_of(std::size_t slot) { return background_lanes[slot]; }
  void request_fetch(const RekeyCommand & command, Instant now);
  std::string fetch_objection(const Suite & suite, Instant now) const;
  const PrekeyFetch * find_fetch(const Suite & suite) const;
  // Begins the fetch, or gets hold of the one under way. Returns false if others take all lanes.
  bool fetch(const Suite & suite, bool urgent, Instant now);
  std::size_t slot_for(bool urgent) const;
  void watch_fetches(Instant now);
  void watch_fetch(Fetch & fetch, StreamLane lane, Instant now);
  void ask_for(Fetch & fetch, StreamLane lane, Instant now);
  void end_fetch(Fetch & fetch, Instant now);
  void end_fetches();
  bool handle_fetch_control(const ControlFrame & frame, Instant now);
  void handle_prekey_message(StreamLane lane, Bytes message);
  void handle_prekey_job(Fetch & fetch, JobResult result, Instant now);
  void store(VerifiedPrekey prekey, Instant now);
  void plan_prefetch(Instant now);
  void prefetch(Instant now);
  const Suite * next_to_prefetch(Instant now) const;
  const Suite * next_asked(Instant now) const;
  bool is_asked(const PrekeyKind & kind) const;
  void forget_asked(const Suite & suite);
  void put_off_unasked();
  bool may_be_unasked(const Suite & suite) const;
  bool may_fetch_ahead() const;
  bool is_urgent() const;
  bool measures(const Suite & suite, Instant now) const;
  bool measures(Instant now) const;
  bool may_begin(const Suite & suite, Instant now) const;
  bool speaks(const PrekeyFetch & fetch) const;
  double budget() const;
  double pace(Instant now) const;
  void keep_pace(Instant now);
  void count_debt(Instant now);
  std::vector<KemFetch> fetches(Instant now) const;

  // --- The ground station has all keys erased (drone_erasure.cpp) ---
  void handle_erase(std::uint32_t transaction, const Erase & erase, Instant now);
  void handle_keys_erased(const std::optional<std::string> & problem, Instant now);
  void answer_erase(Instant now);
  void watch_erasure(Instant now);

  // --- Keys of this end ---
  void use(DroneIdentity identity);
  const Credential & credential_of(const SharedPskKeys & psk) const;
  // Of the live session.
  const Credential & live() const { return credential_of(peer_.keys().sending()->psk()); }
  const SharedPskKeys & newest_psk() const { return credentials_.front().psk; }
  const Credential & credential_of_next_session(bool for_rekey) const;
  void retire_former(Instant now);
  void change_to_newest(Instant now);

  PeerFacts facts(Instant now) const;
  bool uses_anchor() const { return identity_.anchor && settings_.anchor != AnchorUse::off; }
  SharedSecretBytes signing_key(const Credential & credential, const Suite & suite) const;

  const TunnelSettings & settings_;
  DroneIdentity identity_;
  std::vector<const Suite *> usable_;        // suites that configuration, identity and library bear
  std::vector<const Suite *> shown_suites_;  // for each KEM, by the suite in use
  std::vector<Credential> credentials_;      // the newest first
  std::size_t turn_ = 0;                     // of the credential that the next session begins with
  std::optional<JobId> erasing_;             // former keys
  struct ErasureUnderWay                     // of all keys
  {
    std::uint32_t transaction;
    std::optional<JobId> job;
    std::optional<Erasure> outcome;
    Instant end;  // of the session, in which the answer may be asked for again
  };
  std::optional<ErasureUnderWay> erasure_;
  std::optional<std::uint32_t> refused_erase_;  // the latest transaction that was reported
  bool erased_ = false;                         // there are no keys any more
  Instant next_change_;                         // to the newest keys beside a session, not before
  Backoff changes_{change_first, change_max};
  PolicyHash policy_hash_;
  std::vector<Endpoint> gcs_addresses_;
  RandomSource & random_;
  Outbox & outbox_;
  Peer & peer_;

  std::optional<Attempt> attempt_;
  std::optional<Instant> next_attempt_;
  Duration round_trip_{};  // or less, by the newest answers to hellos; zero: unknown
  std::deque<FormerHello> former_hellos_;
  std::optional<LateAnswer> late_answer_;  // since the last session
  std::optional<VersionHint> other_version_;
  RepeatedFailure version_reports_;
  Backoff reconnect_{reconnect_first, reconnect_max};
  std::optional<Instant> lost_since_;  // keys are there, but the peer is silent
  GroundTrouble trouble_ = GroundTrouble::none;
  std::optional<FailedHandshake> failed_;     // the newest attempt, if it failed
  std::optional<Instant> unconfirmed_since_;  // a session was made; nothing since
  RepeatedFailure failures_;
  Digest session_transcript_ = {};  // th3 of epoch 0
  bool stands_in_ = false;  // the session began with a lighter suite than the configured one

  Rekey rekey_;
  std::optional<Exchange> exchange_;
  PrekeyStock stock_;
  std::array<Fetch, background_lanes.size()> fetches_;  // by lane
  std::vector<const Suite *> asked_;  // by commands, the oldest first; each kind once
  std::optional<Instant> next_prefetch_;
  FetchDebt debt_;
  std::optional<WaitingRekey> waiting_;
  Duration fetched_{};                   // how long the rekey under way waited for its prekey
  std::vector<PrekeyKind> not_offered_;  // by the ground station, in this session
  std::optional<RekeyId> asked_here_;    // the rekey under way answers this command
  std::optional<GcsRequest> gcs_request_;
  std::optional<std::uint32_t>
    refused_request_;           // the latest transaction that was reported as refused
  Instant next_own_rekey_;      // not before
  std::uint32_t renewals_ = 0;  // tried by itself, since keys were last exchanged
  std::uint32_t next_transaction_;
  Blacklist blacklist_;
  HandshakeTiming timing_;
  TokenBucket one_time_keys_{session_one_time_keys, 1 / one_time_key_interval_s};
  std::optional<AnchorKind> anchor_;  // of the session, or of a ratchet in it
  KeyTraffic rekey_traffic_;          // counted before the rekey under way
  std::uint32_t handshakes_ = 0;
  std::uint32_t rekeys_ = 0;
  std::uint32_t ratchets_ = 0;
  std::uint32_t rollbacks_ = 0;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__DRONE__DRONE_END_HPP_
