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
#include "protocol/wire/layers.hpp"
#include "protocol/wire/wire.hpp"

namespace pqc_tunnel
{

// The reason why a datagram was dropped. The first six are receive errors; the others are local to one end.
enum class Drop : std::uint8_t
{
  replay,        // seen before
  auth_fail,     // the tag is wrong
  seq_old,       // below the replay window, or held back
  decrypt_fail,  // the AEAD refused for another reason
  malformed,     // too short, or of an unknown form or kind
  unknown,       // no keys with this id
  no_session,    // plaintext while there are no keys
  queue_full,    // the socket refused it, or its sender used up its share of time
  oversize,      // longer than the link allows
  stale,         // it waited too long in a buffer of the system, or nothing proves that it is new
  foreign,       // plaintext from another sender than the configured one
  incomplete,    // some fragments of a datagram are missing
};

// Returns the name in the status and in pqc_msgs/DropCounters; null for a value that is no class.
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
  // Of plain_in: sealed under keys that rest on lattices or on codes, and on both.
  std::uint64_t one_family_packets = 0;
  std::uint64_t two_families_packets = 0;
  std::uint64_t cipher_in_packets = 0;  // authenticated, from the peer
  std::uint64_t cipher_in_bytes = 0;
  std::uint64_t cipher_out_packets = 0;  // sealed, to the peer
  std::uint64_t cipher_out_bytes = 0;
  std::uint64_t control_in = 0;
  std::uint64_t control_out = 0;
  std::uint64_t control_ignored = 0;     // authenticated, but of an unknown type or out of place
  std::uint64_t stream_in_packets = 0;   // parts of streams and acknowledgements, of the session
  std::uint64_t stream_out_packets = 0;  // the same, with those under boot keys
  std::array<std::uint64_t, drop_classes> drops = {};

  void count(Drop drop) { ++drops[static_cast<std::size_t>(drop)]; }
};

// Counts datagrams that belong to no peer.
struct StrangerCounters
{
  TrafficCounters unassigned;  // sealed frames
  // GCS: hello frames that proved no drone's key, or proved one a second time.
  std::uint64_t malformed = 0;      // has the form of a hello, but is none
  std::uint64_t other_version = 0;  // has a drone's id, but another protocol version
  std::uint64_t unknown_drone = 0;  // has an unknown id
  std::uint64_t wrong_key = 0;      // has a drone's id, but another key
  std::uint64_t repeated = 0;       // genuine, but replayed: its random value was used before
  std::uint64_t over_limit = 0;     // genuine, but one of too many of its drone
};

enum class PeerState : std::uint8_t
{
  disconnected,  // no keys, waiting for the next try (drone) or for the drone (GCS)
  connecting,    // hello sent, no answer yet
  handshaking,
  established,  // keys are in use, and the peer was heard lately
  rekeying,     // established, and new keys are being made
  lost,         // keys are there, but the peer has gone silent
};

// The durations of one handshake as this end measured them; zero where the other end did the work. They include work
// done in advance, which prepared_ahead marks.
struct HandshakeTiming
{
  Duration total{};  // from the first message that was answered to finished keys
  // The phases at the drone add up to the total.
  Duration connect{};  // from the answered hello to the challenge; new sessions only
  Duration hello{};    // from the second hello to the prekey; new sessions only
  Duration derive{};   // from the prekey to the finished Finish
  Duration answer{};   // from Finish or RATCHET to its answer
  Duration fetch{};    // drone: from the request to the prekey, for a rekey without stock
  Duration keygen{};
  Duration sign{};
  Duration verify{};
  Duration encapsulate{};
  Duration decapsulate{};
  bool prepared_ahead = false;  // the prekey came from stock
  // Drone: bytes of the frames of a rekey, both ways, and of fetching its prekey if none was in stock.
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
  std::size_t bytes_under_way = 0;  // being made or sent
  bool making = false;
  std::uint64_t made = 0;
  std::uint64_t taken = 0;   // handed to drones
  std::uint64_t missed = 0;  // requests that found no prekey
  std::uint64_t expired = 0;
};

struct BlacklistEntry
{
  const Suite * suite;
  Instant expires;

  bool operator==(const BlacklistEntry &) const = default;
};

// The cost of rekeys with a KEM on the link that streams take now, and whether the drone has the ground station's key for
// it. Times are unknown where the link's rate is.
struct KemFetch
{
  const Suite * suite = nullptr;  // that may be used, as much like the one in use as there is
  std::size_t fetch_bytes = 0;    // of the key on the link, with frames and acknowledgements
  std::size_t rekey_bytes = 0;    // of the rekey itself
  std::optional<Duration> fetch;  // within the share of the airtime for fetches
  std::optional<Duration> rekey;
  bool ready = false;              // the key is in stock
  std::optional<double> progress;  // 0 to 1 of a fetch under way
};

// It has what takes little time to find of a peer.
struct PeerStanding
{
  PeerState state = PeerState::disconnected;
  const Suite * suite = nullptr;  // of the sending keys; null without a session
  SessionId session;
  Epoch epoch{};
  std::vector<InstalledKeys> keys;        // all sets, newest first
  std::vector<BlacklistEntry> blacklist;  // drone
  Instant due;                            // when Tunnel::handle_timeout() is due for this peer
};

struct PeerSnapshot : PeerStanding
{
  std::string name;
  bool served = true;                // false: a drone that the ground station serves no longer
  std::uint16_t plaintext_port = 0;  // UDP, for local programs; 0: none
  std::string likely_cause;          // of trouble with the peer, one sentence; empty: no trouble
  Endpoint address;                  // where the peer's newest authenticated packet came from
  Instant key_installed;             // when the current sending keys came into use
  Instant last_heard;
  std::uint64_t packets_under_key = 0;
  FrameKeyId receive_id{};       // key id of frames that arrive under these keys
  std::uint32_t handshakes = 0;  // completed, including rekeys
  std::uint32_t rekeys = 0;      // committed
  std::uint32_t rollbacks = 0;
  std::uint32_t ratchets = 0;  // among the rekeys
  std::size_t prekeys = 0;     // drone: in stock; GCS: handed to this drone
  std::vector<KemFetch>
    fetches;  // drone: one for each KEM that it may use; empty without a session
  // Bytes of the frames of rekeys and ratchets, and of fetches, both ways.
  std::uint64_t exchange_bytes = 0;
  std::uint64_t fetch_bytes = 0;
  HandshakeTiming timing;            // of the latest key exchange
  std::optional<AnchorKind> anchor;  // of the session
  Layers layers;                     // of the sending keys
  PrekeyPoolStatus pool;             // GCS; the same for every drone
  TrafficCounters traffic;
  LinkView link;                         // what we receive
  std::optional<PeerLinkReport> remote;  // what the peer receives
  std::vector<PathReport> paths;         // one for each link, in order
  bool clock_valid = false;
  bool stretched = false;      // datagrams or answers come too late
  bool policy_silent = false;  // the drone's tunnel says that its policy is silent
  std::string said;            // GCS: the newest line that the drone's programs sent for the pilot
  Duration rtt{};
  Duration clock_offset{};  // peer clock minus ours
  Duration clock_error{};
  double clock_drift_ppm = 0;  // how much faster the peer's clock runs
  Duration delay_to_peer{};    // one way, ± clock_error
  Duration delay_from_peer{};
  std::uint64_t looks = 0;  // how often the tunnel has done something for this peer
};

// True if a datagram given to the tunnel now would be sealed and sent, and the peer is not lost.
inline bool is_encrypted(const PeerSnapshot & peer)
{
  return peer.suite != nullptr &&
         (peer.state == PeerState::established || peer.state == PeerState::rekeying);
}

// Returns the name of the enumerator.
const char * to_string(PeerState state);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__SESSION__SNAPSHOT_HPP_
