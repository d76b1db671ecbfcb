// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__GROUND__SERVED_DRONE_HPP_
#define PQC_TUNNEL__PROTOCOL__GROUND__SERVED_DRONE_HPP_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "served_context.hpp"
#include "served_erasure.hpp"
#include "served_rekeys.hpp"
#include "served_session.hpp"

namespace pqc_tunnel
{

// One drone as its ground station serves it: joins its new sessions, its rekeys, and what is reported of it.
class ServedDrone
{
public:
  ServedDrone(
    const TunnelSettings & settings, DroneRecord record, PrekeySupply & supply,
    RandomSource & random, Outbox & outbox, Peer & peer);
  ServedDrone(const ServedDrone &) = delete;
  ServedDrone & operator=(const ServedDrone &) = delete;

  // Another record of the same drone, or of one in its place. The session stays if its PSK does.
  void replace(DroneRecord record, Instant now);
  void expire(KeyAge keys, Instant now);

  const std::string & name() const { return context_.record.name; }
  const DroneId & id() const { return context_.record.id; }
  // The PSKs that a session may begin with, the likeliest first.
  std::vector<SharedPskKeys> accepted() const;
  const Peer & peer() const { return context_.peer; }
  ServedReports & reports() { return context_.reports; }
  ServedSession & new_session() { return new_session_; }

  // The drone proved its new keys, so the ground station sends under them from now on. Returns whether accepted() has
  // changed: a session with the newest PSK ends the use of the one before.
  bool handle_proved(Instant now);
  void handle_received(Peer::Received & received, Instant now);
  // Returns false if the job is another's.
  bool handle_job_result(JobId id, JobResult & result, Instant now);
  // Returns whether the transaction is used.
  bool request_rekey(const RekeyCommand & command, std::uint32_t transaction, Instant now)
  {
    if (command.erase_drone) {
      erasure_.request(command, transaction, now);
      return true;
    }
    return rekeys_.request(command, transaction, now);
  }
  // `tell`: the drone, which then begins a new session at once.
  void wipe(const std::string & reason, bool tell, Instant now);
  void handle_timeout(Instant now);
  Instant next_timeout() const;

  // Returns the size of prekeys that are being signed, or on their way to the drone.
  std::size_t prekey_bytes() const { return new_session_.prekey_bytes() + rekeys_.prekey_bytes(); }
  void describe(PeerSnapshot & snapshot, Instant now) const;
  PeerState state() const;

private:
  bool retire_former(Instant now);

  ServedContext context_;
  Peer & peer_;
  ServedSession new_session_;
  ServedRekeys rekeys_;
  ServedErasure erasure_;
  SessionId session_;  // the live one
  Epoch epoch_{};
  std::uint32_t rekeys_done_ = 0;
  std::uint32_t ratchets_ = 0;
  std::optional<JobId> erasing_;  // former keys
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__GROUND__SERVED_DRONE_HPP_
