// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__SESSION__SNAPSHOT_HPP_
#define PQC_TUNNEL__PROTOCOL__SESSION__SNAPSHOT_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/endpoint.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "crypto/suites/suite.hpp"
#include "installed_keys.hpp"
#include "link/estimate/link_estimator.hpp"
#include "link/paths/path_set.hpp"
#include "protocol/wire/anchor.hpp"
#include "protocol/wire/wire.hpp"

namespace pqc_tunnel
{

// Why a datagram was dropped. The first six are classes of receive errors; the others are local to one end.
enum class Drop : std::uint8_t
{
  replay,        // seen before
  auth_fail,     // the tag does not hold
  seq_old,       // below the replay window, or held back
  decrypt_fail,  // the AEAD refused for another reason
  malformed,     // too short, or of an unknown form or kind
  unknown,       // no keys with this id
  no_session,    // plaintext while there are no keys
  queue_full,    // the socket did not accept it, or its sender is over its share of the time
  oversize,      // longer than the link allows
  stale,  // it waited too long in a buffer of the system, or came after a silence without proof that it is new
  foreign,     // plaintext from another sender than the configured one
  incomplete,  // fragments of a datagram came, but not all
};

// As in the source, in the status and in pqc_msgs/DropCounters; null for a value that is no class.
constexpr const char * to_string(Drop drop)
{
  switch (drop) {
    case Drop::replay:
      return "replay";
    case Drop::auth_fail:
      return "auth_fail";
    case Drop::seq_old:
      return "seq_old";
    case Drop::decrypt_fail:
      return "decrypt_fail";
    case Drop::malformed:
      return "malformed";
    case Drop::unknown:
      return "unknown";
    case Drop::no_session:
      return "no_session";
    case Drop::queue_full:
      return "queue_full";
    case Drop::oversize:
      return "oversize";
    case Drop::stale:
      return "stale";
    case Drop::foreign:
      return "foreign";
    case Drop::incomplete:
      return "incomplete";
  }
  return nullptr;
}

inline constexpr std::size_t drop_classes = [] {
  std::size_t classes = 0;
  while (to_string(static_cast<Drop>(classes)) != nullptr) {
    ++classes;
  }
  return classes;
}();

struct TrafficCounters
{
  std::uint64_t plain_in_packets = 0;  // from the local application
  std::uint64_t plain_in_bytes = 0;
  std::uint64_t plain_out_packets = 0;  // to the local application
  std::uint64_t plain_out_bytes = 0;
  std::uint64_t cipher_in_packets = 0;  // authenticated, from the peer
  std::uint64_t cipher_in_bytes = 0;
  std::uint64_t cipher_out_packets = 0;  // sealed, to the peer
  std::uint64_t cipher_out_bytes = 0;
  std::uint64_t control_in = 0;
  std::uint64_t control_out = 0;
  std::uint64_t control_ignored = 0;     // authenticated, but of an unknown type or out of place
  std::uint64_t stream_in_packets = 0;   // parts of keys and messages of a rekey, and their
                                         // acknowledgements, in the session
  std::uint64_t stream_out_packets = 0;  // the same, also of a session that begins
  std::array<std::uint64_t, drop_classes> drops = {};

  void count(Drop drop) { ++drops[static_cast<std::size_t>(drop)]; }
};

// What could be assigned to no peer.
struct StrangerCounters
{
  TrafficCounters unassigned;  // sealed frames
  // GCS: hello frames that proved no drone's key, or proved one a second time.
  std::uint64_t malformed = 0;      // in the form of a hello, but none
  std::uint64_t other_version = 0;  // with a drone's id, in another version of the protocol
  std::uint64_t unknown_drone = 0;  // with an unknown id
  std::uint64_t wrong_key = 0;      // with a drone's id, but under another key
  std::uint64_t repeated = 0;       // genuine, but recorded: its random value was used before
  std::uint64_t over_limit = 0;     // genuine, but too many of one drone in a short time
};

enum class PeerState : std::uint8_t
{
  disconnected,  // no keys, waiting for the next try (drone) or for the drone (GCS)
  connecting,    // hello sent, nothing answered
  handshaking,
  established,  // keys in use, peer heard lately
  rekeying,     // established, and new keys are being made
  lost,         // keys are there, but the peer has gone silent
};

// The phases of one handshake as measured at this end; zero where the other end did the work. Work done ahead of time
// is included and marked.
struct HandshakeTiming
{
  Duration total{};  // the first message that was answered, to finished keys
  // The phases at the drone, which add up to the total.
  Duration connect{};  // the hello that was answered, until the challenge; new sessions only
  Duration hello{};    // second hello until the prekey was here; new sessions only
  Duration derive{};   // prekey until the Finish was made
  Duration answer{};   // Finish or RATCHET until its answer was here
  Duration
    fetch{};  // drone: request of the prekey until it was here, for a rekey without one in stock
  Duration keygen{};
  Duration sign{};
  Duration verify{};
  Duration encapsulate{};
  Duration decapsulate{};
  bool prepared_ahead = false;  // drone: the prekey was here; GCS: it came from stock
  // Drone, of a rekey: the frames of the exchange, both ways, and of the fetch, for one without a prekey in stock.
  std::uint64_t bytes = 0;
  std::uint64_t fetch_bytes = 0;
};

// The peer's own receive view, as it last reported it in-band.
struct PeerLinkReport
{
  LinkView view;
  Instant received;
};

// A ground station's stock of ephemeral keys, one for all drones.
struct PrekeyPoolStatus
{
  std::size_t stored = 0;
  std::size_t wanted = 0;
  std::size_t bytes = 0;            // of keys and signatures
  std::size_t bytes_under_way = 0;  // of those being made, and of messages being sent with them
  bool making = false;
  std::uint64_t made = 0;
  std::uint64_t taken = 0;   // given to drones
  std::uint64_t missed = 0;  // requests that found none
  std::uint64_t expired = 0;
};

struct BlacklistEntry
{
  const Suite * suite;
  Instant expires;

  bool operator==(const BlacklistEntry &) const = default;
};

struct PeerSnapshot
{
  std::string name;
  PeerState state = PeerState::disconnected;
  std::string likely_cause;       // of trouble with the peer, one sentence; empty when all is well
  const Suite * suite = nullptr;  // of the keys we send under; null without a session
  SessionId session;
  Epoch epoch{};
  Endpoint address;       // where the peer's newest authenticated packet came from
  Instant key_installed;  // when the current sending keys came into use
  Instant last_heard;
  std::uint64_t packets_under_key = 0;
  FrameKeyId receive_id{};       // of these keys, in the frames that arrive
  std::uint32_t handshakes = 0;  // completed, first ones and rekeys
  std::uint32_t rekeys = 0;      // committed
  std::uint32_t rollbacks = 0;
  std::uint32_t ratchets = 0;        // among the rekeys
  std::size_t prekeys = 0;           // drone: held; GCS: given to this drone
  HandshakeTiming timing;            // of the latest key exchange
  std::optional<AnchorKind> anchor;  // of the session
  PrekeyPoolStatus pool;             // GCS; the same for every drone
  TrafficCounters traffic;
  LinkView link;                         // what we receive
  std::optional<PeerLinkReport> remote;  // what the peer receives
  std::vector<PathReport> paths;         // one for each link, in order
  bool clock_valid = false;
  bool stretched = false;      // datagrams or answers come too late
  bool policy_silent = false;  // of the drone, as its tunnel says
  std::string said;            // GCS: the newest line that the drone's programs sent for the pilot
  Duration rtt{};
  Duration clock_offset{};  // peer clock minus ours
  Duration clock_error{};
  double clock_drift_ppm = 0;  // how much faster the peer's clock runs
  Duration delay_to_peer{};    // one way, with the error of the clock's offset
  Duration delay_from_peer{};
  std::vector<InstalledKeys> keys;        // every set that is held, newest first
  std::vector<BlacklistEntry> blacklist;  // drone
  Instant due;                            // something is to be done for it
};

// True if a datagram given to the tunnel now would be sealed and sent, and the peer is not lost.
inline bool is_encrypted(const PeerSnapshot & peer)
{
  return peer.suite != nullptr &&
         (peer.state == PeerState::established || peer.state == PeerState::rekeying);
}

// As in the source, in lower case.
const char * to_string(PeerState state);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__SESSION__SNAPSHOT_HPP_
