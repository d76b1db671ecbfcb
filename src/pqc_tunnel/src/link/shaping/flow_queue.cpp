// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "flow_queue.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

#include "bundle.hpp"

namespace pqc_tunnel
{
namespace
{

// The ids of senders begin above those of the other flows.
constexpr std::uint32_t flow_of_control = 0;
constexpr std::uint32_t flow_of_streams = 1;
constexpr std::uint32_t flow_of_background = 2;
constexpr std::uint32_t flow_of_strangers = 3;
constexpr std::uint32_t flow_of_no_sender = 4;
constexpr std::uint32_t first_sender = 0x10000;
constexpr std::size_t most_flows = 64;  // further senders share flow_of_no_sender

constexpr std::size_t item_cost = 128;  // bytes of memory beside the datagram

// A queue that takes no longer to send drops nothing for a newer datagram.
constexpr Duration short_queue = std::chrono::milliseconds(100);
// An urgent datagram waits no longer for expendable ones, even where the other end takes its half of the link.
constexpr Duration short_wait = std::chrono::milliseconds(60);
// Telemetry of a kind that has not left for so long keeps its place, or newer datagrams would push it back for ever.
constexpr Duration longest_pushed_back = std::chrono::milliseconds(250);
// Urgent datagrams, and those queued before them, get at most so much more of the link than telemetry.
constexpr Duration longest_advance = std::chrono::seconds(1);
// Parameters, missions and files may wait so many times longer, since their senders repeat them only slowly.
constexpr int ordered_patience = 30;
// Streams wait for all data, but a part at most so many times its own airtime, which leaves them a third of the link.
constexpr int stream_patience = 2;
// The background waits for everything else, but no longer than this for data that is not urgent, or it would be sent for
// nothing to a link that is always full: a sealed frame does not keep.
constexpr Duration longest_set_back = std::chrono::milliseconds(300);
// Frames to strangers wait for all others, but no longer than this, which is also the least time between two of them.
// Otherwise a link that is always full would never answer a returning drone.
constexpr Duration longest_turned_back = std::chrono::milliseconds(200);
// They wait no longer than this for urgent datagrams. It is less than the longest wait of a sealed frame.
constexpr Duration starving = std::chrono::milliseconds(400);
constexpr std::size_t most_kinds = 512;  // entries of left_

constexpr std::size_t capacity(TrafficClass traffic)
{
  switch (traffic) {
    case TrafficClass::ordered:
      return std::size_t{256} * 1024;
    case TrafficClass::telemetry:
      return std::size_t{32} * 1024;
    default:
      return std::size_t{8} * 1024;
  }
}

bool can_be_spared(TrafficClass traffic)
{
  return traffic == TrafficClass::telemetry || traffic == TrafficClass::other ||
         traffic == TrafficClass::background;
}

std::size_t size_in_bundle(const Waiting & one)
{
  return BundleWriter::length_size + one.bytes.size();
}

}  // namespace

// --- Datagrams that come in ---

bool FlowQueue::Flow::is_of_application() const { return id >= flow_of_no_sender; }

FlowQueue::FlowId FlowQueue::flow_of(const DatagramClass & kind) const
{
  switch (kind.traffic) {
    case TrafficClass::control:
      return flow_of_control;
    case TrafficClass::stream:
      return flow_of_streams;
    case TrafficClass::background:
      return flow_of_background;
    case TrafficClass::unproved:
      return flow_of_strangers;
    default:
      break;
  }
  const FlowId id = kind.sender ? first_sender + *kind.sender : flow_of_no_sender;
  return flows_.contains(id) || flows_.size() < most_flows ? id : flow_of_no_sender;
}

void FlowQueue::add(Waiting one, Instant now)
{
  const TrafficClass traffic = one.kind.traffic;
  Class & of = classes_[index(traffic)];
  ++of.counts.offered;
  const FlowId id = flow_of(one.kind);
  Flow & flow = flows_[id];
  flow.id = id;
  conflate(flow, one, now);
  if (of.memory + one.bytes.size() + item_cost > capacity(traffic)) {
    ++of.counts.full;
    return;
  }
  flow.served = flow.items.empty() ? std::max(flow.served, turn_) : flow.served;
  one.number = ++last_number_;
  one.offered = now;
  account(flow, flow.items.emplace_back(std::move(one)), true);
}

void FlowQueue::count_oversize(TrafficClass traffic)
{
  ++classes_[index(traffic)].counts.offered;
  ++classes_[index(traffic)].counts.oversize;
}

void FlowQueue::count_cut_off(TrafficClass traffic, std::uint64_t ShaperCounts::*reason)
{
  --classes_[index(traffic)].counts.sent;
  ++(classes_[index(traffic)].counts.*reason);
}

void FlowQueue::count_given_back(TrafficClass traffic)
{
  --classes_[index(traffic)].counts.offered;
  --classes_[index(traffic)].counts.sent;
}

// The newer datagram takes the last place, since its sender numbered it after all others.
void FlowQueue::conflate(Flow & flow, const Waiting & newer, Instant now)
{
  if (!newer.kind.newest_counts || backlog_ <= bytes_in(short_queue)) {
    return;
  }
  const auto is_older = [&](const Waiting & one) {
    return one.kind.key == newer.kind.key && one.sealed_to == newer.sealed_to;
  };
  const auto last = std::ranges::find_if(flow.items.rbegin(), flow.items.rend(), is_older);
  if (last == flow.items.rend()) {
    return;
  }
  const bool is_only_one =
    std::find_if(std::next(last), flow.items.rend(), is_older) == flow.items.rend();
  if (!is_only_one || now < left(newer) + longest_pushed_back) {
    ++classes_[index(newer.kind.traffic)].counts.conflated;
    remove(flow, std::prev(last.base()));
  }
}

// Drops expendable datagrams before the first urgent one of the flow until it need not wait too long. The kind that
// left most recently is dropped first.
void FlowQueue::make_way(const Flow & flow, Instant now)
{
  struct Obstacle
  {
    Flow * flow;
    Items::iterator place;
    Instant left;
  };
  const Waiting & urgent = *std::ranges::find(
    flow.items, TrafficClass::command, [](const Waiting & one) { return one.kind.traffic; });
  const Duration rest = std::max(Duration{}, urgent.offered + short_wait - now);
  const std::size_t most = link_.urgent_only ? 0 : bytes_in(rest);
  std::vector<Obstacle> obstacles;
  std::size_t before = 0;
  const bool waits_for_all = barrier() != nullptr;
  for (auto & [id, other] : flows_) {
    if (id != flow.id && !(waits_for_all && other.is_of_application())) {
      continue;
    }
    for (auto one = other.items.begin(); one != other.items.end() && one->number < urgent.number;
         ++one) {
      before += size_in_bundle(*one);
      if (can_be_spared(one->kind.traffic)) {
        obstacles.push_back({&other, one, left(*one)});
      }
    }
  }
  std::ranges::stable_sort(obstacles, std::greater(), &Obstacle::left);
  for (const Obstacle & obstacle : obstacles) {
    if (before <= most) {
      return;
    }
    before -= size_in_bundle(*obstacle.place);
    ++classes_[index(obstacle.place->kind.traffic)].counts.full;
    remove(*obstacle.flow, obstacle.place);
  }
}

// Returns when a datagram with this key left last. One without a key counts as the most recent, and is dropped first.
Instant FlowQueue::left(const Waiting & one) const
{
  if (!one.kind.key) {
    return Instant::max();
  }
  const auto known = left_.find(*one.kind.key);
  return known == left_.end() ? Instant{} : known->second;
}

void FlowQueue::account(Flow & flow, const Waiting & one, bool added)
{
  const auto change = [added](auto & sum, std::size_t by) {
    sum = static_cast<std::remove_reference_t<decltype(sum)>>(added ? sum + by : sum - by);
  };
  change(flow.waiting[index(one.kind.traffic)], 1);
  change(classes_[index(one.kind.traffic)].memory, one.bytes.size() + item_cost);
  change(unsealed_, one.sealed_to ? 0 : size_in_bundle(one));
  change(backlog_, flow.is_of_application() ? size_in_bundle(one) : 0);
}

Waiting FlowQueue::remove(Flow & flow, Items::iterator one)
{
  Waiting removed = std::move(*one);
  flow.items.erase(one);
  account(flow, removed, false);
  return removed;
}

// --- Datagrams that leave ---

std::size_t FlowQueue::bytes_in(Duration time) const
{
  return static_cast<std::size_t>(link_.bytes_per_s() * in_seconds(time));
}

bool FlowQueue::is_open(const Flow & flow) const
{
  return !link_.urgent_only || !can_be_spared(flow.items.front().kind.traffic) ||
         flow.carries_more();
}

const FlowQueue::Flow * FlowQueue::barrier() const
{
  const auto found = flows_.find(flow_of_no_sender);
  return found != flows_.end() && !found->second.items.empty() ? &found->second : nullptr;
}

// Returns `rank`, or a higher one for a flow that has waited too long.
FlowQueue::Rank FlowQueue::rank_of_last(
  const Flow & flow, Rank rank, Duration longest, Instant now) const
{
  const Duration waited = now - std::max(flow.items.front().offered, flow.left);
  return waited >= std::max(longest, starving)   ? Rank::starving
         : waited >= std::min(longest, starving) ? Rank::overdue
                                                 : rank;
}

FlowQueue::Rank FlowQueue::rank(const Flow & flow, Instant now) const
{
  switch (flow.id) {
    case flow_of_control:
      return Rank::control;
    case flow_of_streams:
      return rank_of_last(
        flow, Rank::stream, stream_patience * link_.airtime(flow.items.front().bytes.size()), now);
    case flow_of_background:
      return !is_open(flow)                                         ? Rank::none
             : now >= flow.items.front().offered + longest_set_back ? Rank::overdue
                                                                    : Rank::background;
    case flow_of_strangers:
      return rank_of_last(flow, Rank::stranger, longest_turned_back, now);
    default:
      return rank_of_application(flow);
  }
}

FlowQueue::Rank FlowQueue::rank_of_application(const Flow & flow) const
{
  return !is_open(flow) ? Rank::none : is_urgent(flow) ? Rank::urgent : Rank::data;
}

// A command behind much that cannot be dropped comes late anyway, and would only make all of that urgent.
bool FlowQueue::is_urgent(const Flow & flow) const
{
  const std::size_t most = bytes_in(longest_advance);
  if (!flow.has(TrafficClass::command) || shares_[1] > shares_[0] + most) {
    return false;
  }
  std::size_t before = 0;
  for (const Waiting & one : flow.items) {
    if (one.kind.traffic == TrafficClass::command || before > most) {
      break;
    }
    before += size_in_bundle(one);
  }
  return before <= most;
}

FlowQueue::Choice FlowQueue::choose(Instant now) const
{
  // A datagram without a single sender waits for all that came earlier, and all that came later waits for it.
  const Flow * const fence = barrier();
  Rank common = Rank::none;
  std::uint64_t oldest = std::numeric_limits<std::uint64_t>::max();
  for (const auto & [id, flow] : flows_) {
    if (fence != nullptr && flow.is_of_application() && !flow.items.empty()) {
      common = std::min(common, rank(flow, now));
      oldest = std::min(oldest, flow.items.front().number);
    }
  }
  Choice best;
  std::tuple<Rank, std::uint64_t, std::uint64_t> least;
  for (const auto & [id, flow] : flows_) {
    const bool is_fenced = fence != nullptr && flow.is_of_application();
    if (
      flow.items.empty() ||
      (is_fenced &&
       flow.items.front().number > (&flow == fence ? oldest : fence->items.front().number)))
    {
      continue;
    }
    const Rank of_flow = is_fenced ? common : rank(flow, now);
    const auto order = std::tuple(of_flow, shares_[flow.carries_more()], flow.served);
    if (of_flow != Rank::none && (best.rank == Rank::none || order < least)) {
      best = {of_flow, id};
      least = order;
    }
  }
  return best;
}

Waiting FlowQueue::take(const Choice & choice, Instant now)
{
  Flow & flow = flows_.at(choice.flow);
  if (flow.is_of_application()) {
    share(flow);
  }
  Waiting one = remove(flow, flow.items.begin());
  ++classes_[index(one.kind.traffic)].counts.sent;
  flow.left = now;
  if (one.kind.key && (one.kind.newest_counts || can_be_spared(one.kind.traffic))) {
    if (left_.size() >= most_kinds) {
      left_.clear();
    }
    left_[*one.kind.key] = now;
  }
  // A flow that has had more than others is remembered as long as these have something to send.
  std::erase_if(flows_, [this](const auto & entry) {
    return entry.first >= first_sender && entry.second.items.empty() &&
           (entry.second.served <= turn_ || backlog_ == 0);
  });
  return one;
}

// Accounts for the next datagram of the flow. An empty flow earns no credit (start-time fair queueing, Goyal et al.,
// 1996).
void FlowQueue::share(Flow & flow)
{
  constexpr auto none = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t least = none;
  std::array<bool, 2> waits = {};
  for (const auto & [id, other] : flows_) {
    if (other.is_of_application() && !other.items.empty()) {
      least = std::min(least, other.served);
      waits[other.carries_more()] = true;
    }
  }
  turn_ = std::max(turn_, least);
  const std::uint64_t most = std::ranges::max(shares_);
  std::ranges::transform(shares_, waits, shares_.begin(), [most](std::uint64_t share, bool one) {
    return one ? share : most;
  });
  const std::size_t bytes = size_in_bundle(flow.items.front());
  shares_[flow.carries_more()] += bytes;
  flow.served += bytes;
}

Instant FlowQueue::due(Duration company) const
{
  Instant due = Instant::max();
  for (const auto & [id, flow] : flows_) {
    if (flow.items.empty() || !is_open(flow)) {
      continue;
    }
    const bool waits =
      flow.is_of_application() && !flow.items.front().sealed_to && !flow.has(TrafficClass::command);
    due = std::min(due, flow.items.front().offered + (waits ? company : Duration{}));
  }
  return due;
}

bool FlowQueue::only_background() const
{
  return std::ranges::all_of(flows_, [](const auto & entry) {
    return entry.first == flow_of_background || entry.second.items.empty();
  });
}

// --- Datagrams that never leave ---

Duration FlowQueue::patience(const Waiting & one) const
{
  if (one.sealed_to) {
    return patience_ / 2;  // the receiver limits its age, too
  }
  return one.kind.traffic == TrafficClass::ordered ? ordered_patience * patience_ : patience_;
}

void FlowQueue::drop_hopeless(Instant now)
{
  for (auto & [id, flow] : flows_) {
    if (flow.has(TrafficClass::command)) {
      make_way(flow, now);
    }
  }
  for (auto & [id, flow] : flows_) {
    while (!flow.items.empty() && now > flow.items.front().offered + patience(flow.items.front())) {
      ++classes_[index(flow.items.front().kind.traffic)].counts.stale;
      remove(flow, flow.items.begin());
    }
  }
}

std::vector<Bytes> FlowQueue::take_unsealed()
{
  std::map<std::uint64_t, Bytes> taken;
  for (auto & [id, flow] : flows_) {
    for (auto one = flow.items.begin(); one != flow.items.end();) {
      const auto place = one++;
      if (!place->sealed_to) {
        Waiting waiting = remove(flow, place);
        --classes_[index(waiting.kind.traffic)].counts.offered;
        taken.emplace(waiting.number, std::move(waiting.bytes));
      }
    }
  }
  std::vector<Bytes> in_order;
  in_order.reserve(taken.size());
  for (auto & [number, bytes] : taken) {
    in_order.push_back(std::move(bytes));
  }
  return in_order;
}

void FlowQueue::clear()
{
  for (auto & [id, flow] : flows_) {
    while (!flow.items.empty()) {
      ++classes_[index(flow.items.front().kind.traffic)].counts.stale;
      remove(flow, flow.items.begin());
    }
  }
  flows_.clear();
}

}  // namespace pqc_tunnel
