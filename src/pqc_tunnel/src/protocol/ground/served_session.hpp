// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__GROUND__SERVED_SESSION_HPP_
#define PQC_TUNNEL__PROTOCOL__GROUND__SERVED_SESSION_HPP_

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "protocol/handshake/hello_gate.hpp"
#include "served_context.hpp"

namespace pqc_tunnel
{

// The ground station's half of one drone's new session: at most one attempt at a time, beside the live session.
class ServedSession
{
public:
  explicit ServedSession(ServedContext & drone)
  : drone_(drone), peer_(drone.peer), lane_(drone.supply, drone.outbox, drone.peer.index())
  {
  }

  bool under_way() const { return attempt_.has_value(); }
  // Of the attempt; null if none is under way.
  SharedPskKeys psk() const { return attempt_ ? attempt_->psk : nullptr; }
  // An attempt that gets on gives way to a newer one of its own host, or of one that is no worse.
  bool gives_way(HelloGate::Standing newer, const Endpoint & from, Instant now) const;
  // Begins an attempt in place of one that gives way, or rejects the hello for its suite.
  void admit(
    const HelloGate::Admitted & admitted, ByteView frame, const Endpoint & from, Instant now);
  void reject(
    RejectReason reason, const HelloGate::Admitted & admitted, ByteView frame, const Endpoint & to,
    const std::string & text, Instant now);
  // Takes a hello that was answered before: the answer was lost, or it is a recording. Returns false if it is not that of
  // the attempt.
  bool repeat(ByteView frame, const Endpoint & from, Instant now);
  // Takes what came under the boot keys.
  void handle_received(const Peer::Received & received, Instant now);
  // Returns false if the job is another's.
  bool handle_job_result(JobId id, JobResult & result, Instant now);
  // The drone uses the keys of a session. A newer attempt goes on: the drone may have its keys already.
  void handle_proved(const SessionId & session, Instant now);
  // The drone uses keys that this end has, or all are wiped.
  void forget_formers() { formers_ = {}; }
  void end_attempt(Instant now);

  void handle_timeout(Instant now);
  Instant next_timeout() const;
  // Returns the size of the prekey that is being signed, or on its way to the drone.
  std::size_t prekey_bytes() const
  {
    return lane_.bytes() + peer_.message_bytes(Channel::boot, StreamLane::foreground);
  }

private:
  // A hello of the drone may name it.
  struct Former
  {
    FormerId id;
    Resumption resumption;
  };
  struct Attempt
  {
    const Suite * suite = nullptr;
    SharedPskKeys psk;
    Bytes hello;
    Resumption former;  // the rms that the hello names; empty: none that is known
    Endpoint from;
    HelloGate::Standing standing{};
    Instant started;
    Instant progress;
    Duration patience{};                  // for progress
    Instant next_later = Instant::max();  // while its prekey is being made
    std::optional<Instant> prekey_sent;   // until the drone answers
    std::optional<PrekeySecret> prekey;
    std::optional<SessionId> made;  // its keys, which the drone has not proved yet
    Former chained;                 // of `former`, until the keys are made
    HandshakeTiming timing;
  };

  void handle_issued(IssuedPrekey issued, const Suite & suite, Instant now);
  void handle_completed(const KeyLane::Exchange & exchange, FinishCompleted completed, Instant now);
  void handle_job_failed(const JobFailed & failed, Instant now);
  void handle_attempt_failed(const FailedHandshake & failed, Instant now);
  Instant progress() const;
  Resumption find_former(const FormerId & id) const;

  ServedContext & drone_;
  Peer & peer_;
  KeyLane lane_;
  std::optional<Attempt> attempt_;
  // The newest session that was made, and what it was made from: the drone has one of them. Later ones may displace its keys.
  std::array<Former, 2> formers_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__GROUND__SERVED_SESSION_HPP_
