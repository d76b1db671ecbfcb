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

// What became of a received datagram: plaintext for the local application, or nothing to forward.
struct Opened
{
  std::optional<PeerIndex> peer;  // set once the datagram is authenticated
  MutableBytes plaintext;         // empty for control frames and drops
  bool forward = false;           // true if plaintext goes to the local application
  bool bundle = false;            // plaintext is several datagrams: see take_from_bundle()
  bool assembled = false;         // plaintext lives only until the next datagram
  bool stale = false;             // it may have been held back
};

// What this machine knows of its own faults; a text is in lower case without a full stop, and empty if there is none.
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

// Whether a device is plugged in, or an interface is there.
enum class LinkState : std::uint8_t
{
  down,
  up,
};

// Both ends of the protocol without any I/O, from the application's datagrams to the frames on each link. Bytes, time and
// randomness come in as arguments. One thread at a time. After each call that takes the time: poll_transmit() of every link
// that is free and poll_output() until they have nothing, then look at next_timeout() and next_transmit().
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
  using Config = std::variant<DroneConfig, GcsConfig>;

  // `random` must outlive the tunnel. Fails with one sentence if the configuration is invalid.
  static Result<Tunnel> create(Config config, RandomSource & random, Instant now);

  Tunnel(Tunnel &&) noexcept;
  Tunnel & operator=(Tunnel &&) noexcept;
  ~Tunnel();

  // --- Datagrams: no allocation, no lock, unless a link is thin or a datagram is cut. ---

  // Room around a plaintext datagram of n bytes: the frame is n + frame_overhead long, plaintext at frame_headroom.
  static constexpr std::size_t frame_headroom = frame_header_size;
  static constexpr std::size_t frame_tailroom = send_time_size + kind_size + tag_size;
  static constexpr std::size_t frame_overhead = frame_headroom + frame_tailroom;

  // A datagram of the peer's application here, with room around it, in which it may be sealed. `source` is the
  // application's address: frames may run over the ends of its datagrams. False if some of it was dropped at once (and
  // counted).
  bool handle_plaintext(PeerIndex peer, MutableBytes frame, const Endpoint & source, Instant now);
  // A datagram that has arrived, and has waited for so long in a buffer of the system. It is opened in place. A hello costs
  // a MAC, whoever sent it: see is_hello().
  Opened handle_datagram(
    MutableBytes datagram, const Endpoint & from, Instant now, Duration waited = {});
  // The next frame for the link, which must be free.
  std::optional<Transmit> poll_transmit(std::uint8_t link, Instant now);
  // When poll_transmit() may have a frame, beside what other calls bring; max if nothing waits.
  Instant next_transmit(std::uint8_t link) const;
  // Counts the drops that only the shell can see: queue_full, stale, foreign, and oversize reported by the link.
  void count_drop(PeerIndex peer, Drop drop, std::uint64_t packets = 1);
  // So much of this thread's time went into a peer's datagrams, with all that followed from them. Without a peer: into
  // anything else, or it was left; then all time since the last such call is shared out. A peer that takes more than its
  // share of it from others loses frames before they cost anything.
  void charge(std::optional<PeerIndex> peer, Duration time);

  // --- Time and results ---

  // At next_timeout(), or at any other time.
  void handle_timeout(Instant now);
  // When handle_timeout() is due, never later than PeerSnapshot::due. Data in flight only postpones it, so that it is
  // looked up again only after anything else.
  Instant next_timeout() const;
  std::optional<Output> poll_output();
  void handle_job_result(JobId id, JobResult result, Instant now);

  // --- Wishes ---

  // Validates the command and starts the rekey. Always answered by one RekeyReply with the command's id.
  void request_rekey(const RekeyCommand & command, Instant now);
  // Hands a few bytes to the peer's programs, now or when notices may leave; a newer one of its kind replaces it. False
  // if there are no keys, or for a kind that is not sent.
  bool send_notice(PeerIndex peer, const Notice & notice, Instant now);
  // Wipes all keys and what was derived for them; a drone begins a new session.
  void wipe(PeerIndex peer, const std::string & reason, Instant now);

  // --- Surroundings ---

  // Drone: the GCS's addresses were resolved anew. An attempt that has not been answered uses them at once.
  void set_gcs_addresses(std::vector<Endpoint> addresses, Instant now);
  void handle_link(std::uint8_t link, LinkState state, Instant now);
  void note_trouble(const Trouble & trouble);
  // This end has looked at nothing for so long, as it was stopped or got no processor, and drops what has become old: no
  // peer was silent meanwhile.
  void handle_standstill(Duration stood, Instant now);

  // --- What is known ---

  PeerSnapshot snapshot(PeerIndex peer, Instant now) const;
  // Datagrams that could be assigned to no peer.
  StrangerCounters strangers() const;

private:
  class Impl;
  explicit Tunnel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__TUNNEL__TUNNEL_HPP_
