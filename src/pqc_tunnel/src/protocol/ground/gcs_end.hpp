// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__GROUND__GCS_END_HPP_
#define PQC_TUNNEL__PROTOCOL__GROUND__GCS_END_HPP_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "prekey_supply.hpp"
#include "protocol/handshake/hello_gate.hpp"
#include "protocol/handshake/repeated_failure.hpp"
#include "protocol/peer/output.hpp"
#include "protocol/peer/peer.hpp"
#include "served_drone.hpp"

namespace pqc_tunnel
{

// The ground station's half: it answers the sessions and rekeys of many drones, and never starts one itself. It decides
// which hellos are answered, and hands everything else to the drone's ServedDrone. State exists for registered drones only.
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
  void wipe(PeerIndex peer, const std::string & reason, bool tell, Instant now)
  {
    drone(peer).wipe(reason, tell, now);
  }

  void describe(PeerSnapshot & snapshot, PeerIndex peer, Instant now) const;
  const StrangerCounters & strangers() const { return gate_.strangers(); }

private:
  ServedDrone & drone(PeerIndex index) { return drones_[static_cast<std::size_t>(index)]; }
  void note_unproven_hello(std::uint8_t link, Instant now);
  void turn_away(const HelloGate::TurnedAway & stranger, Instant now);
  void admit(
    const HelloGate::Admitted & admitted, ByteView frame, const Endpoint & from, Instant now);
  void want_likely_suites();

  const TunnelSettings & settings_;
  PolicyHash policy_hash_;
  Outbox & outbox_;
  // These three draw random numbers, in this order.
  HelloGate gate_;
  std::uint32_t next_transaction_;
  PrekeySupply supply_;
  std::deque<ServedDrone> drones_;
  Instant next_stranger_report_;
  RepeatedFailure stranger_reports_;
  Instant last_stranger_;
  Instant unproven_since_;             // the second in which these are counted
  std::uint64_t unproven_hellos_ = 0;  // with a drone's key, but without a proof of the address
  std::uint64_t unproven_total_ = 0;
  Instant next_recordings_report_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__GROUND__GCS_END_HPP_
