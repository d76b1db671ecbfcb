// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__LINK__SHAPING__FLOW_QUEUE_HPP_
#define PQC_TUNNEL__LINK__SHAPING__FLOW_QUEUE_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "base/endpoint.hpp"
#include "base/time.hpp"
#include "link/mavlink/mavlink_class.hpp"
#include "link/mavlink/traffic_class.hpp"
#include "link/paths/link_settings.hpp"

namespace pqc_tunnel
{

// A datagram in the queue.
struct Waiting
{
  Bytes bytes;
  DatagramClass kind;
  std::optional<Endpoint> sealed_to;  // destination of a sealed frame; none: not sealed yet
  Instant offered;
  std::uint64_t number = 0;  // position in the order of arrival
  std::size_t fragment = 0;  // bytes of each fragment or sealed frame; 0: it leaves in one frame
};

// Queues datagrams before a link in flows. A flow never reorders, but may drop. Each sender of MAVLink frames has a
// flow, since it numbers and signs its frames. A datagram without a single sender keeps its place among all datagrams
// of the application. The most urgent flow goes first. Flows with parameters, missions or files get one half of the
// link and those with telemetry alone the other; the flows in a half share it equally.
class FlowQueue
{
public:
  // The link must outlive the queue.
  FlowQueue(const LinkSettings & link, Duration patience) : link_(link), patience_(patience) {}

  void add(Waiting one, Instant now);
  void count_oversize(TrafficClass traffic);
  // Correct the counts of a datagram from take() that does not leave as a whole, or that goes to another link.
  void count_cut_off(TrafficClass traffic, std::uint64_t ShaperCounts::*reason);
  void count_given_back(TrafficClass traffic);

  // The urgency of the next datagram, the most urgent first.
  enum class Rank : std::uint8_t
  {
    control,
    starving,  // streams and frames to strangers that have waited very long
    urgent,
    overdue,  // the same after a shorter wait
    data,
    stream,
    background,
    stranger,
    none,  // nothing may leave
  };
  using FlowId = std::uint32_t;
  // The flow whose first datagram leaves next.
  struct Choice
  {
    Rank rank = Rank::none;
    FlowId flow = 0;  // meaningless if the rank is `none`
  };
  Choice choose(Instant now) const;
  // Returns the chosen datagram. The queue must not have changed since choose().
  const Waiting & at(const Choice & choice) const { return flows_.at(choice.flow).items.front(); }
  Waiting take(const Choice & choice, Instant now);

  // Returns when a datagram may leave; max: none. One that gains by sharing a frame first waits `company` for others.
  Instant due(Duration company) const;
  // Returns whether nothing waits but parts of the background. They leave only when the link is free.
  bool only_background() const;
  // Returns the bytes that the unsealed datagrams take in bundles.
  std::size_t unsealed_bytes() const { return unsealed_; }

  // Drops datagrams that have waited too long, or that an urgent one has waited for too long. Call it before choose().
  void drop_hopeless(Instant now);
  // Takes out the unsealed datagrams in order, and counts them as never offered.
  std::vector<Bytes> take_unsealed();
  // Drops all datagrams and counts them as stale.
  void clear();

  const ShaperCounts & counts(TrafficClass traffic) const
  {
    return classes_[index(traffic)].counts;
  }
  std::size_t memory(TrafficClass traffic) const { return classes_[index(traffic)].memory; }

private:
  using Items = std::list<Waiting>;
  struct Flow
  {
    FlowId id = 0;
    Items items;
    std::array<std::uint32_t, traffic_classes> waiting = {};  // datagrams by class
    std::uint64_t served = 0;  // bytes; at least turn_ when it began to wait last
    Instant left;              // when its latest datagram left

    bool is_of_application() const;
    bool has(TrafficClass traffic) const { return waiting[index(traffic)] > 0; }
    // True if more than telemetry and unknown bytes waits.
    bool carries_more() const { return has(TrafficClass::command) || has(TrafficClass::ordered); }
  };
  struct Class
  {
    std::size_t memory = 0;
    ShaperCounts counts;
  };

  static constexpr std::size_t index(TrafficClass traffic)
  {
    return static_cast<std::size_t>(traffic);
  }
  FlowId flow_of(const DatagramClass & kind) const;
  Duration patience(const Waiting & one) const;
  std::size_t bytes_in(Duration time) const;
  Rank rank(const Flow & flow, Instant now) const;
  Rank rank_of_application(const Flow & flow) const;
  bool is_urgent(const Flow & flow) const;
  Rank rank_of_last(const Flow & flow, Rank rank, Duration longest, Instant now) const;
  bool is_open(const Flow & flow) const;
  // Returns the flow of datagrams without a single sender, unless it is empty.
  const Flow * barrier() const;
  void share(Flow & flow);
  void conflate(Flow & flow, const Waiting & newer, Instant now);
  void make_way(const Flow & flow, Instant now);
  Instant left(const Waiting & one) const;
  Waiting remove(Flow & flow, Items::iterator one);
  void account(Flow & flow, const Waiting & one, bool added);

  const LinkSettings & link_;
  Duration patience_;
  std::map<FlowId, Flow> flows_;
  std::array<Class, traffic_classes> classes_;
  std::map<MessageKey, Instant> left_;  // when a datagram with this key left last
  std::size_t unsealed_ = 0;
  std::size_t backlog_ = 0;                   // bytes of the application
  std::array<std::uint64_t, 2> shares_ = {};  // bytes of flows with telemetry alone, and of others
  std::uint64_t turn_ = 0;                    // least `served` of the flows that waited
  std::uint64_t last_number_ = 0;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__SHAPING__FLOW_QUEUE_HPP_
