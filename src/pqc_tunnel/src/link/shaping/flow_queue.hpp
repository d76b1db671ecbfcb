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

// A datagram that waits.
struct Waiting
{
  Bytes bytes;
  DatagramClass kind;
  std::optional<Endpoint> sealed_to;  // none: not sealed yet
  Instant offered;
  std::uint64_t number = 0;  // in the order of arrival
  std::size_t fragment =
    0;  // bytes of each fragment, or of each sealed frame; 0: it leaves in one frame
};

// What waits before a link, in flows. A flow keeps its order: what leaves is what came, less what was left out. Each
// sender of MAVLink frames has a flow, since it counts and signs its frames. What belongs to no sender keeps its place
// among all datagrams of the application. Between flows the most urgent goes first; those with parameters, missions or
// files and those with telemetry alone get a half each, and those of a half the same.
class FlowQueue
{
public:
  // The link must outlive the queue.
  FlowQueue(const LinkSettings & link, Duration patience) : link_(link), patience_(patience) {}

  void add(Waiting one, Instant now);
  void count_oversize(TrafficClass traffic);
  // What take() has returned does not leave as a whole; or it goes elsewhere, as if it had never been offered.
  void count_cut_off(TrafficClass traffic, std::uint64_t ShaperCounts::*reason);
  void count_given_back(TrafficClass traffic);

  // How urgent that is which leaves next.
  enum class Rank : std::uint8_t
  {
    control,
    starving,  // streams and what goes to strangers, after a long time
    urgent,
    overdue,  // the same, after a time
    data,
    stream,
    stranger,
    none,  // nothing may leave
  };
  using FlowId = std::uint32_t;
  // What leaves next.
  struct Choice
  {
    Rank rank = Rank::none;
    FlowId flow = 0;  // unless the rank is `none`
  };
  Choice choose(Instant now) const;
  // The datagram that was chosen; until then the queue must not have changed.
  const Waiting & at(const Choice & choice) const { return flows_.at(choice.flow).items.front(); }
  Waiting take(const Choice & choice, Instant now);

  // When something may leave, of which what gains by company has waited so long for it; max: nothing may.
  Instant due(Duration company) const;
  // Of the datagrams that are not sealed, as in a bundle.
  std::size_t unsealed_bytes() const { return unsealed_; }

  // Drops what has waited too long, and what something urgent has waited for too long. Call it before next().
  void drop_hopeless(Instant now);
  // Takes out what is not sealed yet, in order; counted as never offered.
  std::vector<Bytes> take_unsealed();
  // Forgets all; counted as stale.
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
    std::array<std::uint32_t, traffic_classes> waiting = {};  // of them, by class
    std::uint64_t served = 0;  // bytes; at least `turn_` when it last began to wait
    Instant left;              // the latest

    bool is_of_application() const;
    bool has(TrafficClass traffic) const { return waiting[index(traffic)] > 0; }
    // Than telemetry and bytes of which nothing is known.
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
  // The flow of what belongs to no sender, if something of it waits.
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
  std::map<MessageKey, Instant> left_;  // when telemetry or steering of that kind left last
  std::size_t unsealed_ = 0;
  std::size_t backlog_ = 0;  // bytes of the application
  std::array<std::uint64_t, 2> shares_ =
    {};                     // bytes of flows with telemetry alone, and of those that carry more
  std::uint64_t turn_ = 0;  // `served` of that one of the flows that waited which had the least
  std::uint64_t last_number_ = 0;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__SHAPING__FLOW_QUEUE_HPP_
