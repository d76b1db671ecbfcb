// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__LINK__SHAPING__SHAPER_HPP_
#define PQC_TUNNEL__LINK__SHAPING__SHAPER_HPP_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "base/endpoint.hpp"
#include "base/time.hpp"
#include "bundle.hpp"
#include "flow_queue.hpp"
#include "link/framing/fragment.hpp"
#include "link/mavlink/mavlink_class.hpp"
#include "link/mavlink/traffic_class.hpp"
#include "link/paths/link_settings.hpp"

namespace pqc_tunnel
{

// A frame that a Shaper hands out.
struct ShapedFrame
{
  enum class Kind : std::uint8_t
  {
    data,      // the caller seals it as FrameKind::data
    bundle,    // the caller seals it as FrameKind::bundle
    fragment,  // the caller seals it as FrameKind::fragment
    sealed,    // already sealed when offered
  };
  Kind kind = Kind::data;
  TrafficClass traffic = TrafficClass::unproved;  // class of its most urgent datagram
  std::size_t datagrams = 0;                      // how many datagrams end in it
  // The place of a fragment, and the origin of its datagram, which the caller sets when it seals the first fragment.
  FragmentPlace place;
  FragmentOrigin * origin = nullptr;
  Endpoint to;  // only of a sealed frame; others go to the peer's address on the link
  // The whole frame, valid until the next call. Unless it is sealed, the payload is at sealed_header, with the rest of
  // sealed_overhead free after it; the payload of a fragment begins with space for its header.
  MutableBytes frame;
};

// The queue before a link of known rate. It decides when the next frame leaves, so that none waits in a lower buffer,
// and fills it from its FlowQueue. Sans-I/O: offer datagrams, take frames until there is none, and come back at
// next_timeout().
class Shaper
{
public:
  struct Settings
  {
    Duration bundle = std::chrono::milliseconds(20);  // how long a datagram waits for company
    Duration patience = std::chrono::seconds(1);      // older ones are dropped
  };

  // The link's rate must be known. The link must outlive the shaper.
  explicit Shaper(const LinkSettings & link) : Shaper(link, Settings{}) {}
  Shaper(const LinkSettings & link, const Settings & settings);

  // Offers a datagram of the application. A datagram of several MAVLink frames is split into them. What no frame of the
  // link holds leaves in fragments in order; only urgent datagrams of other senders pass between them.
  void offer(ByteView datagram, Instant now);
  // Offers a sealed frame of the tunnel itself, or a copy of one that another link carries. Several frames of
  // `frame_size` bytes each, except the last, leave like the fragments of a datagram.
  void offer_sealed(
    const DatagramClass & kind, ByteView frames, const Endpoint & to, Instant now,
    std::size_t frame_size = 0);

  // Sends the datagram anew from its first fragment, because the last fragment cannot be sealed as part of it.
  void begin_again();
  // Drops the rest of the datagram that is leaving in fragments.
  void abandon() { cut_off(&ShaperCounts::stale); }

  // Returns the next frame, if the link is free and one is due.
  std::optional<ShapedFrame> next_frame(Instant now);
  // Returns when next_frame() may have one; max: nothing waits.
  Instant next_timeout() const;
  // True if all that waits is of the background or goes to unproved addresses, and has not waited long.
  bool yields(Instant now) const
  {
    return !is_cutting() && queue_.choose(now).rank >= FlowQueue::Rank::background;
  }
  // Returns when the link will have sent all frames that were handed out.
  Instant free_at() const { return free_at_; }
  // Others use the link until `when`.
  void occupy_until(Instant when) { free_at_ = std::max(free_at_, when); }
  // Returns the airtime, at most `longest_load`, of the application's data that has not left since the link was idle.
  Duration load(Instant now) const;
  static constexpr Duration longest_load = std::chrono::seconds(1);

  const ShaperCounts & counts(TrafficClass traffic) const { return queue_.counts(traffic); }
  // Returns the bytes of memory of a class: at most 256 KiB of ordered, 32 KiB of telemetry, 8 KiB of any other.
  std::size_t waiting_memory(TrafficClass traffic) const { return queue_.memory(traffic); }
  bool has_unsealed() const
  {
    return queue_.unsealed_bytes() > 0 || (is_cutting() && !cut_->whole.sealed_to);
  }
  // Takes out the unsealed datagrams in order, for another link, and counts them as never offered.
  std::vector<Bytes> take_unsealed();
  // Drops all that waits and counts it as stale, because the link has gone.
  void clear();

private:
  // A datagram that leaves in fragments. It is no longer in the queue, and the next one begins only after its end.
  struct Cut
  {
    Waiting whole;
    std::size_t offset = 0;  // bytes handed out so far
    FragmentOrigin origin;
    Instant begun;
    Instant left;  // when the latest fragment left
  };
  void add(Waiting one, Instant now);
  std::size_t room() const { return link_.mtu - sealed_overhead; }
  std::size_t bundle_room() const
  {
    return link_.longest_bundle > sealed_overhead
             ? std::min(room(), link_.longest_bundle - sealed_overhead)
             : room();
  }
  std::size_t fragment_room() const { return room() - fragment_header; }
  bool is_cutting() const { return cut_ && cut_->offset < cut_->whole.bytes.size(); }
  bool is_of_another(const Waiting & next) const;
  bool may_leave(const FlowQueue::Choice & choice, Instant now) const;
  bool is_in_the_way(const FlowQueue::Choice & choice) const;
  ShapedFrame next_fragment(Instant now);
  // Returns the longest time from first to last fragment, during which others may use three quarters of the link.
  Duration patience(const Waiting & whole) const
  {
    return settings_.patience + 4 * link_.airtime(whole.bytes.size());
  }
  void cut_off(std::uint64_t ShaperCounts::*reason);
  bool joins(const ShapedFrame & shaped, const Waiting & next) const;
  void append(ShapedFrame & shaped, const Waiting & one);
  MutableBytes finish(ShapedFrame::Kind kind);
  bool is_idle(Instant now) const { return !has_unsealed() && now >= free_at_; }

  const LinkSettings & link_;
  Settings settings_;
  FlowQueue queue_;
  std::optional<Cut> cut_;  // kept after its end, since its last fragment may have to leave again
  Instant free_at_;         // when the link has sent all frames handed out
  double asked_ = 0;        // bytes of the application not sent since the link was idle
  Bytes frame_;
  BundleWriter bundle_;  // writes into frame_
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__SHAPING__SHAPER_HPP_
