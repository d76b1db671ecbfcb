// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__GROUND__GCS_END_HPP_
#define PQC_TUNNEL__PROTOCOL__GROUND__GCS_END_HPP_

#include <cstdint>
#include <deque>
#include <optional>
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
  GcsEnd(
    const TunnelSettings & settings, GcsIdentity identity, RandomSource & random, Outbox & outbox);

  // Serves one more drone; the peer, whose index is the next one, lives as long as this.
  void add(Peer & peer, DroneRecord record);
  // The drone of this index has another record, or is served no longer.
  void replace(PeerIndex peer, DroneRecord record, Instant now);
  void remove(PeerIndex peer, Instant now);
  // No session begins with these keys of the drone any more.
  void expire(PeerIndex peer, KeyAge keys, Instant now);
  // Signs by these keys from now on.
  void replace_identity(GcsIdentity identity);

  // These return the drone that was concerned; none: no drone was.
  std::optional<PeerIndex> handle_hello(ByteView frame, const Endpoint & from, Instant now);
  std::optional<PeerIndex> handle_job_result(JobId id, JobResult result, Instant now);
  void handle_received(PeerIndex peer, Peer::Received & received, Instant now);
  // These are about what all drones share.
  void handle_timeout(Instant now) { supply_.handle_timeout(now); }
  Instant next_timeout() const { return supply_.next_timeout(); }
  void handle_timeout(PeerIndex peer, Instant now) { drone(peer).handle_timeout(now); }
  Instant next_timeout(PeerIndex peer) const { return drone(peer).next_timeout(); }
  // Something happened to the drone: counts anew what it contributes to sums of all drones.
  void take_account(PeerIndex peer);

  void request_rekey(const RekeyCommand & command, Instant now);
  // `tell`: the drone, which then begins a new session at once.
  void wipe(PeerIndex peer, const std::string & reason, bool tell, Instant now)
  {
    drone(peer).wipe(reason, tell, now);
  }

  // Take the account of each drone before that something happened to.
  void describe(PeerSnapshot & snapshot, PeerIndex peer, Instant now) const;
  PeerState state(PeerIndex peer) const { return drone(peer).state(); }
  const StrangerCounters & strangers() const { return gate_.strangers(); }

private:
  ServedDrone & drone(PeerIndex index) { return drones_[static_cast<std::size_t>(index)]; }
  const ServedDrone & drone(PeerIndex index) const
  {
    return drones_[static_cast<std::size_t>(index)];
  }
  void note_unproven_hello(std::uint8_t link, Instant now);
  void turn_away(const HelloGate::TurnedAway & stranger, Instant now);
  void admit(
    const HelloGate::Admitted & admitted, ByteView frame, const Endpoint & from, Instant now);
  void want_likely_suites();
  void open_gate(PeerIndex peer);

  const TunnelSettings & settings_;
  PolicyHash policy_hash_;
  RandomSource & random_;
  Outbox & outbox_;
  // These three draw random numbers, in this order.
  HelloGate gate_;
  std::uint32_t next_transaction_;
  PrekeySupply supply_;
  std::deque<ServedDrone> drones_;
  struct Account  // of a drone
  {
    const Suite * suite = nullptr;  // of its sending keys
    std::size_t prekey_bytes = 0;
  };
  std::vector<Account> accounts_;  // by drone
  struct SuiteInUse
  {
    const Suite * suite = nullptr;
    std::size_t drones = 0;
  };
  std::vector<SuiteInUse> in_use_;
  bool suites_changed_ = true;    // since the supply learned of them
  std::size_t prekey_bytes_ = 0;  // of all drones
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
