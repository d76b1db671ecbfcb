// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__TUNNEL_HPP_
#define PQC_TUNNEL__PROTOCOL__TUNNEL_HPP_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "handshake_crypto.hpp"
#include "handshake_failure.hpp"
#include "installed_keys.hpp"
#include "output.hpp"
#include "paths/shaper.hpp"
#include "pqc_tunnel/base/bytes.hpp"
#include "pqc_tunnel/base/endpoint.hpp"
#include "pqc_tunnel/base/ids.hpp"
#include "pqc_tunnel/base/result.hpp"
#include "pqc_tunnel/base/time.hpp"
#include "pqc_tunnel/crypto/random.hpp"
#include "pqc_tunnel/protocol/identity.hpp"
#include "settings.hpp"
#include "snapshot.hpp"

namespace pqc_tunnel
{

// A received datagram after open(): plaintext for the local application, or nothing to forward.
struct Opened
{
  std::optional<PeerIndex> peer;  // set once the datagram is authenticated
  MutableBytes plaintext;         // empty for control frames and drops
  bool forward = false;           // true if plaintext goes to the local application
  bool bundle = false;            // plaintext is several datagrams: see take_from_bundle()
  bool assembled = false;         // plaintext lives only until the next call of open()
  bool stale = false;             // it may have been held back
};

// Both ends of the protocol without any I/O. Bytes, time and randomness come in as arguments; effects come out of
// poll_output(). One thread at a time. After each handle_* call: drain poll_output(), look at next_timeout().
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
    std::vector<DroneRecord> drones;  // PeerIndex is the position here
  };

  // `random` must outlive the tunnel. Fails with one sentence if the configuration is invalid.
  static Result<Tunnel> create(DroneConfig config, RandomSource & random, Instant now);
  static Result<Tunnel> create(GcsConfig config, RandomSource & random, Instant now);

  Tunnel(Tunnel &&) noexcept;
  Tunnel & operator=(Tunnel &&) noexcept;
  ~Tunnel();

  // --- Packet path: no allocation, no lock. ---

  // Room around a plaintext datagram of n bytes: the frame is n + frame_overhead long, plaintext at frame_headroom.
  static constexpr std::size_t frame_headroom = frame_header_size;
  static constexpr std::size_t frame_tailroom = send_time_size + kind_size + tag_size;
  static constexpr std::size_t frame_overhead = frame_headroom + frame_tailroom;

  // Seals the frame in place for the peer: one datagram, or a bundle of several. False if it was dropped (and counted).
  bool seal(PeerIndex peer, MutableBytes frame, Instant now, std::size_t datagrams = 1);
  // Seals what a shaper hands out; a fragment that can't be sealed tells the shaper. True if the frame can be sent.
  bool seal(PeerIndex peer, const ShapedFrame & shaped, Shaper & shaper, Instant now);
  // Seals a datagram in fragments, of which each frame has `frame_size` bytes but for the last, one after the other in
  // `frames`. False if it was dropped (and counted). Allocates.
  bool seal_in_fragments(
    PeerIndex peer, ByteView datagram, std::size_t frame_size, Bytes & frames, Instant now);
  // Where a sealed frame of so many bytes goes now, counted as sent there; 0 bytes: what a shaper will cut to size.
  Routes routes(PeerIndex peer, TrafficClass traffic, std::size_t bytes, Instant now);
  // Where a copy of data goes that has gone by the link: to an address of the peer that has not proved itself, as
  // TrafficClass::unproved.
  std::optional<Endpoint> take_copy(
    PeerIndex peer, std::uint8_t link, std::size_t bytes, Instant now);
  // A frame that a shaper has cut was sent.
  void count_sent(PeerIndex peer, const Endpoint & to, std::size_t bytes, Instant now);
  // So many frames of streams wait for the peer in the queue before the link. While there are many, no more are made.
  void handle_stream_queue(PeerIndex peer, std::uint8_t link, std::size_t waiting, Instant now);
  // The peer's address on one of the links; family none if it is unknown.
  Endpoint address_on(PeerIndex peer, std::uint8_t link) const;
  // The peer is not reached by that link now.
  bool is_down(PeerIndex peer, std::uint8_t link) const;
  bool has_keys(PeerIndex peer) const;
  // Where most of the peer's frames go; family none if nowhere yet.
  Endpoint destination(PeerIndex peer) const;
  // Opens a received datagram in place. Not for hellos: see is_hello().
  Opened open(MutableBytes datagram, const Endpoint & from, Instant now);
  // So much time went into opening datagrams since the last call, or was left. A peer that takes more than its share of it
  // from others loses frames before they cost anything.
  void share_time(Duration time);
  // The time that an opened datagram took, with all that followed from it.
  void spend(PeerIndex peer, Duration time);
  // Counts the drops that only the shell can see: queue_full, stale, foreign, and oversize reported by the link.
  void count_drop(PeerIndex peer, Drop drop, std::uint64_t packets = 1);
  // A received datagram waited too long in a buffer of the system.
  void count_stale(ByteView datagram);

  // --- Everything else ---

  // A received datagram for which is_hello() is true. Costs a MAC, whoever sent it.
  void handle_hello(ByteView frame, const Endpoint & from, Instant now);

  void handle_job_result(JobId id, JobResult result, Instant now);
  // At next_timeout(), or at any other time.
  void handle_timeout(Instant now);
  // When handle_timeout() is due: never later than exact_timeout(). Data in flight only postpones it, so that it is looked
  // up again only after anything else.
  Instant next_timeout() const;
  Instant exact_timeout() const;
  std::optional<Output> poll_output();

  // Validates the command and starts the rekey. Always answered by one RekeyReply with the command's id.
  void request_rekey(const RekeyCommand & command, Instant now);
  // Drone: the GCS's addresses were resolved anew. An attempt that has not been answered uses them at once.
  void set_gcs_addresses(std::vector<Endpoint> addresses, Instant now);
  // Drone: what the answer to ProbeGround or to a name's resolution was.
  void note_ground_trouble(GroundTrouble trouble);
  // A device was unplugged, or is there again.
  void handle_link_down(std::uint8_t link, Instant now);
  void handle_link_up(std::uint8_t link, Instant now);
  // The fault of the link that this machine knows, in lower case without a full stop; empty: none.
  void note_link_trouble(std::uint8_t link, const std::string & trouble);
  // This end has looked at nothing for so long, as it was stopped or got no processor, and drops what has become old: no
  // peer was silent meanwhile.
  void handle_standstill(Duration stood, Instant now);
  // Why this end may be late, as far as it knows, in lower case without a full stop; empty: it is not.
  void note_machine_trouble(const std::string & trouble);
  // Wipes all keys and what was derived for them; a drone begins a new session.
  void wipe(PeerIndex peer, const std::string & reason, Instant now);

  // Hands a few bytes to the peer's programs, now or when notices may leave; a newer one of its kind replaces it. False
  // if there are no keys, or for a kind that is not sent.
  bool send_notice(PeerIndex peer, const Notice & notice, Instant now);

  // Bytes per second on the line that the only link takes; none unless it has no configured rate and is saturated.
  std::optional<double> found_rate(PeerIndex peer) const;
  // That link seems to be full while a key exchange is under way: what is not urgent waits.
  bool makes_way(PeerIndex peer) const;
  // Frames wait in a queue of that link, or have lately: small datagrams gain by sharing a frame.
  bool is_crowded(PeerIndex peer, Instant now) const;

  std::size_t peer_count() const;
  PeerSnapshot snapshot(PeerIndex peer, Instant now) const;
  // Every set of keys held for the peer, newest first.
  std::vector<InstalledKeys> installed_keys(PeerIndex peer) const;
  std::vector<BlacklistEntry> blacklist(PeerIndex peer, Instant now) const;
  // Datagrams that could be assigned to no peer.
  const TrafficCounters & unassigned() const;
  // Hellos that proved no drone's key; all zero on a drone.
  StrangerCounters strangers() const;

private:
  class Impl;
  explicit Tunnel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__TUNNEL_HPP_
