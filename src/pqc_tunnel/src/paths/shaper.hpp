// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PATHS__SHAPER_HPP_
#define PATHS__SHAPER_HPP_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "link_settings.hpp"
#include "mavlink_class.hpp"
#include "pqc_tunnel/base/bytes.hpp"
#include "pqc_tunnel/base/endpoint.hpp"
#include "pqc_tunnel/base/time.hpp"
#include "traffic_class.hpp"

namespace pqc_tunnel
{

// What a Shaper hands out.
struct ShapedFrame
{
  enum class Kind : std::uint8_t
  {
    data,    // to be sealed as FrameKind::data
    bundle,  // to be sealed as FrameKind::bundle
    sealed,  // as it was offered
  };
  Kind kind = Kind::data;
  TrafficClass traffic = TrafficClass::other;  // of the most urgent datagram in it
  std::size_t datagrams = 1;
  Endpoint to;  // of a sealed one, as it was offered; others go to the peer's address on the link
  // The whole frame; unless it is sealed, the payload is at sealed_header, with room for the rest of sealed_overhead
  // around it. Valid until the next call.
  MutableBytes frame;
};

// The queue before a link of known rate: it decides which datagram is sent next, and when, so that none waits in a buffer
// below, where none can overtake another. Sans-I/O: offer what is to be sent, take frames until there is none, come back
// at next_timeout(). Classes have strict priority; inside a class the order is kept, except that of datagrams with the
// same key the newest takes the place of the older one. What goes to strangers is last, but for a short time only.
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

  // A datagram of the application. One of several MAVLink frames is taken apart.
  void offer(ByteView datagram, Instant now);
  // A sealed frame: of the tunnel itself, or a copy of what another link carries, too.
  void offer_sealed(const DatagramClass & kind, ByteView frame, const Endpoint & to, Instant now);

  // The next frame, if the link is free and one is due.
  std::optional<ShapedFrame> next_frame(Instant now);
  // When next_frame() may have one; max if nothing waits.
  Instant next_timeout() const;
  // All that waits goes to addresses that have not proved themselves, and has not waited for long.
  bool yields(Instant now) const;
  // When the link will have sent all that was handed out.
  Instant free_at() const { return free_at_; }
  // Others use the link, too, until then.
  void occupy_until(Instant when) { free_at_ = std::max(free_at_, when); }

  const ShaperCounts & counts(TrafficClass traffic) const
  {
    return queues_[static_cast<std::size_t>(traffic)].counts;
  }
  // Of a class; at most about 32 KiB.
  std::size_t waiting_memory(TrafficClass traffic) const
  {
    return queues_[static_cast<std::size_t>(traffic)].memory;
  }
  bool has_unsealed() const { return unsealed_ > 0; }
  // Takes out the datagrams that are not sealed yet, the most urgent first, for another link; counted as never offered.
  std::vector<Bytes> take_unsealed();
  // Forgets all that waits; counted as stale. For a link that is gone.
  void clear();

private:
  struct Item
  {
    Bytes bytes;
    std::optional<ConflationKey> key;
    std::optional<Endpoint> sealed_to;  // none: not sealed yet
    Instant since;                      // its place in the queue
    Instant offered;                    // the bytes
  };
  struct Queue
  {
    std::deque<Item> items;
    std::size_t memory = 0;
    ShaperCounts counts;
  };

  void add(
    const DatagramClass & kind, ByteView bytes, const std::optional<Endpoint> & sealed_to,
    Instant now);
  Duration patience(TrafficClass traffic, const Item & item) const;
  void drop_stale(Instant now);
  Item remove_front(Queue & queue);
  void account(Queue & queue, const Item & item, bool added);
  std::size_t room() const { return link_.mtu - sealed_overhead; }
  std::size_t bundle_room() const
  {
    return link_.longest_bundle > sealed_overhead
             ? std::min(room(), link_.longest_bundle - sealed_overhead)
             : room();
  }
  bool is_open(std::size_t traffic) const
  {
    return !link_.urgent_only || (traffic != static_cast<std::size_t>(TrafficClass::telemetry) &&
                                  traffic != static_cast<std::size_t>(TrafficClass::other));
  }
  // What goes to a stranger has waited for too long.
  bool is_overdue(Instant now) const;
  Instant due() const;
  void append(const Item & item);
  MutableBytes finish(ShapedFrame::Kind kind);

  const LinkSettings & link_;
  Settings settings_;
  std::array<Queue, traffic_classes> queues_;
  std::size_t unsealed_ = 0;  // bytes that wait, as in a bundle
  Instant free_at_;           // the link has sent all that was handed out
  Instant stranger_served_;   // although something else waited
  Bytes frame_;
};

}  // namespace pqc_tunnel

#endif  // PATHS__SHAPER_HPP_
