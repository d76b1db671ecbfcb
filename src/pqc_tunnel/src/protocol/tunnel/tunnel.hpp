// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__TUNNEL__TUNNEL_HPP_
#define PQC_TUNNEL__PROTOCOL__TUNNEL__TUNNEL_HPP_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/bytes.hpp"
#include "base/endpoint.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "crypto/random.hpp"
#include "protocol/handshake/handshake_crypto.hpp"
#include "protocol/handshake/handshake_failure.hpp"
#include "protocol/peer/output.hpp"
#include "protocol/session/settings.hpp"
#include "protocol/session/snapshot.hpp"
#include "protocol/session/transmit.hpp"
#include "protocol/wire/identity.hpp"

namespace pqc_tunnel
{

// The result of a received datagram: plaintext for the local application, or nothing to forward.
struct Opened
{
  std::optional<PeerIndex> peer;  // set once the datagram is authenticated
  MutableBytes plaintext;         // empty for control frames and drops
  bool forward = false;           // plaintext goes to the local application
  bool bundle = false;            // plaintext has several datagrams: see take_from_bundle()
  bool assembled = false;         // plaintext is valid only until the next datagram
  bool stale = false;             // it may have been held back
};

// Faults that this machine knows of itself. A text is in lower case without a full stop; empty: no fault.
struct LinkTrouble
{
  std::uint8_t link = 0;
  std::string text;
};
struct MachineTrouble  // why this end may be late
{
  std::string text;
};
using Trouble = std::variant<GroundTrouble, LinkTrouble, MachineTrouble>;

// A link is up while its serial device is plugged in, or its interface exists.
enum class LinkState : std::uint8_t
{
  down,
  up,
};

// These change while the tunnel runs: a link, and of the configuration:
struct LinkChange
{
  std::uint8_t link = 0;
  LinkState state = LinkState::up;
};
struct GcsAddresses  // drone: newly resolved ones, which an unanswered attempt uses at once
{
  std::vector<Endpoint> all;
};
// The GCS serves a drone from now on, or with other keys, or no longer. `peer` is the drone's index, or the next one. If
// the record no longer has the keys that the session began with, the GCS ends the session and tells the drone. Other
// drones notice nothing.
struct DroneChange
{
  PeerIndex peer{};
  std::optional<DroneRecord> record;  // none: it is served no longer
};
struct KeysExpired  // GCS: no session of the drone begins with these keys any more
{
  PeerIndex peer{};
  KeyAge keys{};
};
// Either end's own keys are others now. A drone whose session began with a PSK that it has no longer begins a new one; if
// only newer ones have come, it changes to them beside its session.
using Change =
  std::variant<LinkChange, GcsAddresses, DroneChange, KeysExpired, DroneIdentity, GcsIdentity>;

// Either end of the protocol without any I/O, from the application's datagrams to the frames on each link. Bytes, time
// and randomness are arguments. One thread at a time may use it. After each call that takes the time, call
// poll_transmit() for free links and poll_output() until they return nothing, then wait until next_timeout() and
// next_transmit().
class Tunnel
{
public:
  struct DroneConfig
  {
    TunnelSettings settings;
    DroneIdentity identity;
    std::vector<Endpoint> gcs_addresses;  // where hellos go; may be set later
  };
  struct GcsConfig
  {
    TunnelSettings settings;
    GcsIdentity identity;
    std::vector<DroneRecord> drones;  // PeerIndex is the position
  };
  using Config = std::variant<DroneConfig, GcsConfig>;

  // `random` must outlive the tunnel. Fails with one sentence if the configuration is invalid.
  static Result<Tunnel> create(Config config, RandomSource & random, Instant now);

  Tunnel(Tunnel &&) noexcept;
  Tunnel & operator=(Tunnel &&) noexcept;
  ~Tunnel();

  // --- Datagrams: no allocation, no lock, unless a link is thin or a datagram is cut. ---

  // A plaintext datagram of n bytes needs a frame of n + frame_overhead bytes, in which it begins at frame_headroom.
  static constexpr std::size_t frame_headroom = frame_header_size;
  static constexpr std::size_t frame_tailroom = send_time_size + kind_size + tag_size;
  static constexpr std::size_t frame_overhead = frame_headroom + frame_tailroom;

  // Sends a datagram of the local application to the peer. `frame` has room around it, and may be sealed in place.
  // `source`: the application's address, since MAVLink frames may span its datagrams. Returns false if some of it was
  // dropped and counted.
  bool handle_plaintext(PeerIndex peer, MutableBytes frame, const Endpoint & source, Instant now);
  // Opens a received datagram in place. `waited`: how long it was in a buffer of the system. A hello of anybody costs a
  // MAC: see is_hello().
  Opened handle_datagram(
    MutableBytes datagram, const Endpoint & from, Instant now, Duration waited = {});
  // Returns the next frame for the link, which must be free.
  std::optional<Transmit> poll_transmit(std::uint8_t link, Instant now);
  // Returns when poll_transmit() is due, unless there is another call before; max: nothing waits. Costs less.
  Instant next_transmit(std::uint8_t link) const;
  // Counts the drops that only the shell can see: queue_full, stale, foreign, and oversize reported by the link.
  void count_drop(PeerIndex peer, Drop drop, std::uint64_t packets = 1);
  // Charges time of this thread to a peer, for its datagrams and all that followed from them. Without a peer: for
  // anything else, or idle time; all time since the last such call is then shared out. A peer that exceeds its share
  // loses frames before they cost time.
  void charge(std::optional<PeerIndex> peer, Duration time);

  // --- Time and results ---

  // Call it at next_timeout(); it may be called at any time.
  void handle_timeout(Instant now);
  // Returns when handle_timeout() is due, never later than for any peer. Data only postpones it, so that it is
  // computed anew only after other calls.
  Instant next_timeout() const;
  std::optional<Output> poll_output();
  void handle_job_result(JobId id, JobResult result, Instant now);

  // --- Requests ---

  // Validates the command and starts the rekey. One RekeyReply with the command's id always follows.
  void request_rekey(const RekeyCommand & command, Instant now);
  // Sends a few bytes to the peer's programs once notices may leave; a newer one of its kind replaces a waiting one. Or
  // asks the peer to answer at once. Returns false if there are no keys, if notices of this kind are never sent, or if no
  // link carries frames of this length.
  bool send_message(PeerIndex peer, const ToPeer & message, Instant now);
  // Wipes all keys and the material that they came from; a drone begins a new session.
  void wipe(PeerIndex peer, const std::string & reason, Instant now);

  // --- Surroundings ---

  // Ignores a change that is one of the other role.
  void handle_change(Change change, Instant now);
  void note_trouble(const Trouble & trouble);
  // This end was stopped, or got no processor, for `stood`. It drops datagrams that have become old, and the time does
  // not count as silence of a peer.
  void handle_standstill(Duration stood, Instant now);

  // --- Status ---

  PeerSnapshot snapshot(PeerIndex peer, Instant now) const;
  PeerStanding standing(PeerIndex peer, Instant now) const;
  // Returns the counts of datagrams that belong to no peer.
  StrangerCounters strangers() const;

private:
  class Impl;
  explicit Tunnel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__TUNNEL__TUNNEL_HPP_
