// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__TUNNEL__OUTBOUND_HPP_
#define PQC_TUNNEL__PROTOCOL__TUNNEL__OUTBOUND_HPP_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "base/endpoint.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "link/mavlink/mavlink_stream.hpp"
#include "link/shaping/link_queue.hpp"
#include "protocol/peer/output.hpp"
#include "protocol/peer/peer.hpp"
#include "protocol/session/settings.hpp"
#include "protocol/session/snapshot.hpp"
#include "protocol/session/transmit.hpp"

namespace pqc_tunnel
{

// Brings frames to the links. A datagram for a thin link waits in its queue and is sealed when its turn comes; for
// other links it is sealed at once. A datagram that is too long for a link, or whose frames differ in class on a thin
// link, is split into its MAVLink frames or into fragments.
class Outbound
{
public:
  // Both must outlive the object.
  Outbound(const TunnelSettings & settings, std::deque<Peer> & peers);
  // The last of the peers is new.
  void add_peer();

  // See Tunnel::handle_plaintext().
  bool send(Peer & peer, MutableBytes frame, const Endpoint & source, Instant now);
  // Sends a frame of the tunnel itself.
  void send_own(const SendDatagram & frame, Instant now);
  std::optional<Transmit> poll(std::uint8_t link, Instant now);
  // Returns when poll() may have a frame; max: nothing waits.
  Instant next_transmit(std::uint8_t link) const;
  // Returns whether report_streams() is due.
  bool has_streams_to_tell(std::uint8_t link) const
  {
    return links_[link].settings->is_thin() && links_[link].queue->has_changed();
  }

  // Tells the peers how many frames of their streams wait before the link. Calls sent(peer) for those that send more, and
  // returns whether some did.
  template <class Sent>
  bool report_streams(std::uint8_t index, Instant now, Sent && sent)
  {
    Link & link = links_[index];
    bool any = false;
    while (const auto changed =
             link.settings->is_thin() ? link.queue->take_changed() : std::nullopt) {
      const Shaper & shaper = link.queue->shaper().of(*changed);
      const auto waiting = static_cast<std::size_t>(shaper.counts(TrafficClass::stream).waiting());
      const auto background =
        static_cast<std::size_t>(shaper.counts(TrafficClass::background).waiting());
      if (peers_[*changed].handle_stream_queue(index, waiting, background, now)) {
        sent(peers_[*changed].index());
        any = true;
      }
    }
    return any;
  }
  // Adapts to the state of the links of a peer: a link without a configured rate gets a queue while it is saturated, and
  // datagrams that wait for a link that is down go over another one. Call it after any event of the peer but data.
  void adapt(Peer & peer, Instant now);
  // Drops the queue of a link that has gone.
  void handle_link_down(std::uint8_t link, Instant now);
  // A frame of a peer has arrived by the link.
  void handle_arrival(std::uint8_t link, std::size_t bytes);

  // Adds the counts of the links for the peer's frames.
  void describe(PeerSnapshot & snapshot, PeerIndex peer, Instant now) const;

private:
  // Frames that leave at once. Their memory is reused.
  class Ready
  {
  public:
    bool empty() const { return next_ == size_; }
    void add(PeerIndex peer, const Endpoint & to, ByteView bytes, bool in_place);
    const Transmit & take() { return frames_[next_++].frame; }

  private:
    struct Frame
    {
      Transmit frame;
      Bytes memory;  // unused if the frame was sealed in place
    };
    Frame & add();
    std::vector<Frame> frames_;
    std::size_t next_ = 0;
    std::size_t size_ = 0;
  };
  struct Link
  {
    const LinkSettings * settings = nullptr;
    std::unique_ptr<LinkQueue> queue;
    Ready ready;
  };

  // True for a single link without a queue, for which nothing has to be classified.
  bool is_plain() const { return links_.size() == 1 && !links_[0].queue->is_active(); }
  bool send_classified(Peer & peer, MutableBytes frame, const Endpoint & source, Instant now);
  bool send_uncut(Peer & peer, MutableBytes frame, Instant now);
  bool send_piece(Peer & peer, ByteView bytes, Instant now);
  bool send_over_paths(
    Peer & peer, const DatagramClass & kind, MutableBytes frame, bool in_place, Instant now);
  bool send_in_fragments(
    Peer & peer, const DatagramClass & kind, ByteView datagram, std::size_t frame_size,
    const Routes & routes, Instant now);
  // Gives the frame to its link, or to the queue before it.
  void send_sealed(
    PeerIndex peer, const DatagramClass & kind, ByteView frame, const Endpoint & to, bool in_place,
    Instant now);
  // Sends a copy of the frame to an unproved address of the peer on the link, if one may get it.
  void send_copy(Peer & peer, ByteView frame, std::uint8_t link, bool in_place, Instant now);
  // The queue of the peer's frames before a link, to be changed.
  Shaper & queue(std::uint8_t link, PeerIndex peer)
  {
    return links_[link].queue->change().of(static_cast<std::size_t>(peer));
  }
  std::optional<Transmit> next_shaped(std::uint8_t link, Instant now);
  bool seal(Peer & peer, const ShapedFrame & shaped, Shaper & shaper, Instant now);
  void use_found_rate(Instant now);
  void save_waiting(Peer & peer, std::uint8_t link, Instant now);

  std::deque<Peer> & peers_;
  std::vector<Link> links_;
  std::vector<MavlinkStream> streams_;  // by peer, from the local applications
  std::size_t least_room_;              // bytes of the longest datagram that all links take
  Bytes piece_;                         // part of a datagram, with room for a frame around it
  Bytes fragments_;                     // several frames, one after the other
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__TUNNEL__OUTBOUND_HPP_
