// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__PEER_HPP_
#define PQC_TUNNEL__PROTOCOL__PEER_HPP_

#include <cstdint>
#include <optional>
#include <string>

#include "clock_sync.hpp"
#include "control_frame.hpp"
#include "key_slots.hpp"
#include "link_estimator.hpp"
#include "output.hpp"
#include "pqc_tunnel/base/endpoint.hpp"
#include "pqc_tunnel/base/ids.hpp"
#include "settings.hpp"
#include "snapshot.hpp"

namespace pqc_tunnel
{

// One remote: its keys, its address, what is counted and measured of it. Seals and opens its datagrams and looks after
// keep-alives, clock and link reports by itself; what concerns handshakes and rekeys is handed up.
class Peer
{
public:
  Peer(PeerIndex index, std::string name, const TunnelSettings & settings, Outbox & outbox);

  struct Received
  {
    bool authenticated = false;
    bool proved = false;  // the peer holds keys that it had not proved before
    MutableBytes plaintext;
    bool forward = false;
    std::optional<ControlFrame> control;  // for the owner to handle
  };

  bool seal(MutableBytes frame, Instant now);
  Received open(
    const FrameHeader & header, MutableBytes datagram, const Endpoint & from, Instant now);
  void send_control(const ControlFrame & frame, Instant now);

  void handle_timeout(Instant now);
  Instant next_timeout() const;

  KeySlots & keys() { return keys_; }
  const KeySlots & keys() const { return keys_; }
  PeerIndex index() const { return index_; }
  const std::string & name() const { return name_; }
  const Endpoint & address() const { return address_; }
  // Where the peer is configured to be. Keys in use stay where they were last heard from.
  void set_home(const Endpoint & address)
  {
    home_ = address;
    if (keys_.sending() == nullptr) {
      return_home();
    }
  }
  void return_home() { address_ = home_; }
  Instant last_heard() const { return last_heard_; }
  // The peer's datagrams arrive, and report that it has received none.
  bool is_deaf(Instant now) const;
  // Silence is counted from here on, although nothing has come yet.
  void start_listening(Instant now);
  TrafficCounters & traffic() { return traffic_; }
  // What the owner doesn't know: everything but state, timing and the counts of handshakes.
  void describe(PeerSnapshot & snapshot, Instant now) const;

  void report(
    EventKind kind, Instant now, std::string text, const Suite * suite = nullptr, Epoch epoch = {},
    std::optional<EventSeverity> severity = std::nullopt);
  // Answers a rekey command with the keys in use now.
  void reply(RekeyId id, bool success, const std::string & message, const HandshakeTiming & timing);
  // Reports that the command is refused, and answers it. `suite`: the one asked for, if it is known.
  void refuse_rekey(
    const RekeyCommand & command, const std::string & problem, const Suite * suite,
    const HandshakeTiming & timing, Instant now);

private:
  EpochKeys * open_with_any(const FrameHeader & header, MutableBytes datagram, Drop & drop);
  bool handle_own_control(const ControlFrame & frame, Instant now);
  void follow(
    const EpochKeys & keys, const FrameHeader & header, const Endpoint & from, Instant now);

  PeerIndex index_;
  std::string name_;
  const TunnelSettings & settings_;
  Outbox & outbox_;
  KeySlots keys_;
  Endpoint home_;
  Endpoint address_;
  TrafficCounters traffic_;
  LinkEstimator link_;
  ClockSync clock_;
  std::optional<PeerLinkReport> remote_;
  Instant last_heard_;
  Instant last_sent_;
  std::optional<Instant> next_report_;
  std::optional<Instant> deaf_since_;  // the peer reports since then that it has received nothing
  Instant next_roaming_report_;
  std::uint32_t roamings_ = 0;  // since the last report of one
  Bytes second_try_;            // a copy of a datagram that two keys might open
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__PEER_HPP_
