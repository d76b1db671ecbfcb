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

// What a Shaper hands out.
struct ShapedFrame
{
  enum class Kind : std::uint8_t
  {
    data,      // to be sealed as FrameKind::data
    bundle,    // to be sealed as FrameKind::bundle
    fragment,  // to be sealed as FrameKind::fragment
    sealed,    // as it was offered
  };
  Kind kind = Kind::data;
  TrafficClass traffic = TrafficClass::unproved;  // of the most urgent datagram in it
  std::size_t datagrams = 0;                      // of the application or the tunnel that end in it
  // Of a fragment: its place, and the frame of the datagram's first fragment, which whoever seals that one sets.
  FragmentPlace place;
  FragmentOrigin * origin = nullptr;
  Endpoint to;  // of a sealed one, as it was offered; others go to the peer's address on the link
  // The whole frame; unless it is sealed, the payload is at sealed_header, with room for the rest of sealed_overhead
  // around it. That of a fragment begins with room for its header. Valid until the next call.
  MutableBytes frame;
};

// The queue before a link of known rate: it decides when the next frame leaves, so that none waits in a buffer below,
// and fills it with what its FlowQueue has next. Sans-I/O: offer what is to be sent, take frames until there is none,
// come back at next_timeout().
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

  // A datagram of the application. One of several MAVLink frames is taken apart; what no frame of the link holds leaves in
  // fragments, one after the other. Only what is urgent, and of another sender, passes between them.
  void offer(ByteView datagram, Instant now);
  // A sealed frame: of the tunnel itself, or a copy of what another link carries, too. Several frames, of so many bytes each
  // but for the last, leave as the fragments of a datagram.
  void offer_sealed(
    const DatagramClass & kind, ByteView frames, const Endpoint & to, Instant now,
    std::size_t frame_size = 0);

  // The fragment that was handed out last can't be sealed as one of its datagram, which leaves from its beginning.
  void begin_again();
  // The rest of the datagram that leaves in fragments stays here.
  void abandon() { cut_off(&ShaperCounts::stale); }

  // The next frame, if the link is free and one is due.
  std::optional<ShapedFrame> next_frame(Instant now);
  // When next_frame() may have one; max if nothing waits.
  Instant next_timeout() const;
  // All that waits goes to addresses that have not proved themselves, and has not waited for long.
  bool yields(Instant now) const
  {
    return !is_cutting() && queue_.choose(now).rank >= FlowQueue::Rank::stranger;
  }
  // When the link will have sent all that was handed out.
  Instant free_at() const { return free_at_; }
  // Others use the link, too, until then.
  void occupy_until(Instant when) { free_at_ = std::max(free_at_, when); }
  // The airtime that the application has asked for in vain since the link was idle last, at most `longest_load`.
  Duration load(Instant now) const;
  static constexpr Duration longest_load = std::chrono::seconds(1);

  const ShaperCounts & counts(TrafficClass traffic) const { return queue_.counts(traffic); }
  // Of a class; at most 256 KiB of what is ordered, 32 KiB of telemetry, and 8 KiB of each other one.
  std::size_t waiting_memory(TrafficClass traffic) const { return queue_.memory(traffic); }
  bool has_unsealed() const
  {
    return queue_.unsealed_bytes() > 0 || (is_cutting() && !cut_->whole.sealed_to);
  }
  // Takes out the datagrams that are not sealed yet, in order, for another link; counted as never offered.
  std::vector<Bytes> take_unsealed();
  // Forgets all that waits; counted as stale. For a link that is gone.
  void clear();

private:
  // What leaves in fragments. It has left the queue, and nothing else like it begins before its end.
  struct Cut
  {
    Waiting whole;
    std::size_t offset = 0;  // bytes that were handed out
    FragmentOrigin origin;
    Instant begun;
    Instant left;  // the latest fragment
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
  // From its first fragment to its last: what others take of the link meanwhile, and a pause.
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
  Instant free_at_;         // the link has sent all that was handed out
  double asked_ = 0;        // bytes of the application that have not left since the link was idle
  Bytes frame_;
  BundleWriter bundle_;  // of the frame
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__SHAPING__SHAPER_HPP_
