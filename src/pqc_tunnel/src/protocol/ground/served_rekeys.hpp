// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__GROUND__SERVED_REKEYS_HPP_
#define PQC_TUNNEL__PROTOCOL__GROUND__SERVED_REKEYS_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/session/backoff.hpp"
#include "protocol/session/token_bucket.hpp"
#include "served_context.hpp"

namespace pqc_tunnel
{

// The ground station's half of one drone's rekeys and ratchets, and the prekeys that this drone holds for them.
class ServedRekeys
{
public:
  explicit ServedRekeys(ServedContext & drone)
  : drone_(drone), peer_(drone.peer), lane_(drone.supply, drone.outbox, drone.peer.index())
  {
  }

  // The drone uses the keys of a new session; `transcript` is th3 of its epoch 0.
  void begin_session(const Digest & transcript);
  // The drone uses new keys. They answer a request for them.
  void handle_proved(const EpochKeys & keys, bool new_session, Instant now);
  void handle_control(const ControlFrame & frame, const FrameOrder & order, Instant now);
  void handle_message(Bytes message, const FrameOrder & order, Instant now);
  // Returns false if the job is another's.
  bool handle_job_result(JobId id, JobResult & result, Instant now);
  // Returns whether the drone is asked for a rekey, under `transaction`. It was refused otherwise.
  bool request(const RekeyCommand & command, std::uint32_t transaction, Instant now);
  void handle_wiped(Instant now);

  void drop_expired_prekeys(Instant now);
  // Repeats the request of a rekey, or gives it up.
  void watch_request(Instant now);
  Instant next_timeout() const;

  // New keys are being made, or wait for the drone's proof.
  bool under_way() const;
  std::size_t prekeys() const { return prekeys_.size(); }
  // Returns the size of the prekeys that are being signed, or on their way to the drone.
  std::size_t prekey_bytes() const
  {
    std::size_t bytes = lane_.bytes();
    for (const StreamLane lane : background_lanes) {
      bytes += peer_.message_bytes(Channel::session, lane);
    }
    return bytes;
  }

private:
  // Of the live session; null: there is none.
  SharedPskKeys live_psk() const
  {
    const EpochKeys * live = peer_.keys().sending();
    return live != nullptr ? live->psk() : nullptr;
  }
  // A prekey that the drone holds, until it expires.
  struct HeldPrekey
  {
    PrekeySecret secret;
    Instant expires;
  };
  // A rekey requested on this side, until the drone has done it.
  struct Request
  {
    RekeyCommand command;
    const Suite * suite;
    std::uint32_t transaction;
    Epoch epoch_before{};
    Backoff retry;
    Instant next_try;
    Instant deadline;
  };

  void handle_want(std::uint32_t transaction, const Want & want, Instant now);
  void handle_issued(const KeyLane::Issue & issue, IssuedPrekey issued, Instant now);
  void expect_rekeys();
  void handle_ratchet(
    std::uint32_t transaction, const Ratchet & ratchet, const FrameOrder & order, Instant now);
  void open_one_time_key(const Ratchet & ratchet, Instant now);
  void answer_ratchet(
    std::uint32_t transaction, const Ratchet & ratchet, const SecretBytes & anchor,
    const Layers & added, Instant now);
  void handle_one_time_key(
    const KeyLane::Exchange & exchange, const AnchorSecret & opened, Instant now);
  void handle_exchange_failed(
    const KeyLane::Exchange & exchange, const JobFailed & failed, Instant now);
  void handle_abort(std::uint32_t transaction, const Abort & abort, Instant now);
  void report_job_failed(const Suite & suite, Epoch epoch, const JobFailed & failed, Instant now);
  void answer(bool success, const std::string & message, Instant now);

  ServedContext & drone_;
  Peer & peer_;
  KeyLane lane_;
  Digest session_transcript_ = {};
  TokenBucket ratchet_tokens_{100, 20};  // each costs a MAC and more
  FrameOrder newest_exchange_;           // of the drone's RATCHET or Rekey; older ones are given up
  std::vector<HeldPrekey> prekeys_;
  std::size_t longest_rekey_ = 0;  // with any prekey of this session, expired ones too
  TokenBucket want_tokens_{4, 1};
  std::optional<std::uint32_t> refused_want_;  // the latest that was reported
  // The latest whose prekey was sent, by lane.
  std::array<std::optional<std::uint32_t>, stream_lane_count> answered_wants_;
  std::optional<Request> request_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__GROUND__SERVED_REKEYS_HPP_
