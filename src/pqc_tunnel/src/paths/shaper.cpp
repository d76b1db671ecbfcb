// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "shaper.hpp"

#include <algorithm>
#include <utility>

#include "base/byte_io.hpp"
#include "base/contract.hpp"

namespace pqc_tunnel
{
namespace
{

// Frames are handed out so much before the link is free, or it would stand still until the owner's timer fires.
constexpr Duration lead = std::chrono::milliseconds(10);
constexpr std::size_t length_size = 2;  // of a datagram in a bundle
// What is worth sending although it has waited: parameters, missions and files are repeated only slowly.
constexpr int ordered_patience = 5;

// What goes to strangers waits behind all else, but no longer than this, which also lies between two such frames: a link that
// is always full would never answer a drone that comes back.
constexpr Duration longest_turned_back = std::chrono::milliseconds(200);

constexpr std::size_t item_cost = 128;  // of memory, beside its bytes

constexpr std::size_t capacity(TrafficClass traffic)
{
  const bool large = traffic == TrafficClass::ordered || traffic == TrafficClass::telemetry;
  return large ? 32 * 1024 : 8 * 1024;
}

bool waits_for_company(TrafficClass traffic) { return traffic >= TrafficClass::ordered; }

constexpr auto last_class = static_cast<std::size_t>(TrafficClass::unproved);

}  // namespace

Shaper::Shaper(const LinkSettings & link, const Settings & settings)
: link_(link), settings_(settings)
{
  require(link.is_thin(), "a shaper needs the rate of its link");
  require(link.mtu > sealed_overhead, "the MTU of a link is larger than the overhead of a frame");
  frame_.reserve(link.mtu);
}

// --- In ---

void Shaper::offer(ByteView datagram, Instant now)
{
  const DatagramClass whole = classify(datagram);
  if (whole.traffic == TrafficClass::other) {
    add(whole, datagram, std::nullopt, now);
    return;
  }
  while (const auto frame = take_mavlink_frame(datagram)) {
    add(classify(*frame), *frame, std::nullopt, now);
  }
}

void Shaper::offer_sealed(
  const DatagramClass & kind, ByteView frame, const Endpoint & to, Instant now)
{
  add(kind, frame, to, now);
}

void Shaper::add(
  const DatagramClass & kind, ByteView bytes, const std::optional<Endpoint> & sealed_to,
  Instant now)
{
  Queue & queue = queues_[static_cast<std::size_t>(kind.traffic)];
  ++queue.counts.offered;
  if (bytes.empty() || bytes.size() > (sealed_to ? link_.mtu : room())) {
    ++queue.counts.oversize;
    return;
  }
  const auto older = std::ranges::find_if(queue.items, [&](const Item & item) {
    return kind.key && item.key == kind.key && item.sealed_to == sealed_to;
  });
  if (older != queue.items.end()) {
    account(queue, *older, false);
    older->bytes.assign(bytes.begin(), bytes.end());
    older->offered = now;
    account(queue, *older, true);
    ++queue.counts.conflated;
    return;
  }
  if (queue.memory + bytes.size() + item_cost > capacity(kind.traffic)) {
    ++queue.counts.full;
    return;
  }
  account(
    queue,
    queue.items.emplace_back(Item{{bytes.begin(), bytes.end()}, kind.key, sealed_to, now, now}),
    true);
}

void Shaper::account(Queue & queue, const Item & item, bool added)
{
  const std::size_t memory = item.bytes.size() + item_cost;
  const std::size_t bundled = item.sealed_to ? 0 : item.bytes.size() + length_size;
  queue.memory = added ? queue.memory + memory : queue.memory - memory;
  unsealed_ = added ? unsealed_ + bundled : unsealed_ - bundled;
}

Shaper::Item Shaper::remove_front(Queue & queue)
{
  Item item = std::move(queue.items.front());
  queue.items.pop_front();
  account(queue, item, false);
  return item;
}

// --- Out ---

Duration Shaper::patience(TrafficClass traffic, const Item & item) const
{
  if (item.sealed_to) {
    return settings_.patience / 2;  // it ages at the receiver, too
  }
  return traffic == TrafficClass::ordered ? ordered_patience * settings_.patience
                                          : settings_.patience;
}

void Shaper::drop_stale(Instant now)
{
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    Queue & queue = queues_[i];
    const auto is_stale = [&](const Item & item) {
      return now > item.offered + patience(static_cast<TrafficClass>(i), item);
    };
    while (!queue.items.empty() && is_stale(queue.items.front())) {
      remove_front(queue);
      ++queue.counts.stale;
    }
  }
}

std::vector<Bytes> Shaper::take_unsealed()
{
  std::vector<Bytes> taken;
  for (Queue & queue : queues_) {
    std::deque<Item> kept;
    for (Item & item : queue.items) {
      if (item.sealed_to) {
        kept.push_back(std::move(item));
        continue;
      }
      account(queue, item, false);
      --queue.counts.offered;
      taken.push_back(std::move(item.bytes));
    }
    queue.items = std::move(kept);
  }
  return taken;
}

void Shaper::clear()
{
  for (Queue & queue : queues_) {
    queue.counts.stale += queue.items.size();
    queue.items.clear();
    queue.memory = 0;
  }
  unsealed_ = 0;
}

// When the next frame may leave, as far as its content is concerned.
Instant Shaper::due() const
{
  Instant due = Instant::max();
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    if (queues_[i].items.empty() || !is_open(i)) {
      continue;
    }
    const Item & first = queues_[i].items.front();
    const bool waits = waits_for_company(static_cast<TrafficClass>(i)) && !first.sealed_to &&
                       unsealed_ < bundle_room();
    due = std::min(due, first.since + (waits ? settings_.bundle : Duration{}));
  }
  return due;
}

Instant Shaper::next_timeout() const
{
  const Instant ready = due();
  return ready == Instant::max() ? ready : std::max(ready, free_at_ - lead);
}

bool Shaper::is_overdue(Instant now) const
{
  const auto & items = queues_[last_class].items;
  return !items.empty() &&
         now >= std::max(items.front().since, stranger_served_) + longest_turned_back;
}

bool Shaper::yields(Instant now) const
{
  for (std::size_t i = 0; i < last_class; ++i) {
    if (!queues_[i].items.empty() && is_open(i)) {
      return false;
    }
  }
  return !is_overdue(now);
}

// Fills a frame with what waits, the most urgent first, until the next one does not fit: nothing overtakes it.
std::optional<ShapedFrame> Shaper::next_frame(Instant now)
{
  drop_stale(now);
  if (now < next_timeout()) {
    return std::nullopt;
  }
  ShapedFrame shaped{ShapedFrame::Kind::data, TrafficClass::other, 0, {}, {}};
  frame_.assign(sealed_header, 0);
  const auto joins = [&](const Item & item) {
    const std::size_t with = frame_.size() - sealed_header + length_size + item.bytes.size();
    return shaped.datagrams == 0 || (shaped.kind != ShapedFrame::Kind::sealed && !item.sealed_to &&
                                     with <= bundle_room() && shaped.datagrams < max_bundled);
  };
  bool full = false;
  const bool for_stranger = is_overdue(now);
  stranger_served_ = for_stranger ? now : stranger_served_;
  for (std::size_t i = for_stranger ? last_class : 0; i < queues_.size() && !full; ++i) {
    Queue & queue = queues_[i];
    while (!queue.items.empty() && is_open(i) && !full) {
      full = !joins(queue.items.front());
      if (full) {
        continue;
      }
      const Item item = remove_front(queue);
      ++queue.counts.sent;
      if (++shaped.datagrams == 1) {
        shaped.traffic = static_cast<TrafficClass>(i);
        shaped.kind = item.sealed_to ? ShapedFrame::Kind::sealed : ShapedFrame::Kind::data;
        shaped.to = item.sealed_to.value_or(Endpoint{});
      } else {
        shaped.kind = ShapedFrame::Kind::bundle;
      }
      append(item);
    }
  }
  shaped.frame = finish(shaped.kind);
  free_at_ = std::max(free_at_, now) + link_.airtime(shaped.frame.size());
  return shaped;
}

// Each datagram follows its length, as in a bundle.
void Shaper::append(const Item & item)
{
  ByteWriter out(frame_);
  if (item.sealed_to) {
    frame_.clear();
  } else {
    out.u16(static_cast<std::uint16_t>(item.bytes.size()));
  }
  out.bytes(item.bytes);
}

MutableBytes Shaper::finish(ShapedFrame::Kind kind)
{
  if (kind == ShapedFrame::Kind::sealed) {
    return frame_;
  }
  frame_.resize(frame_.size() + sealed_overhead - sealed_header);
  // The header of a single datagram takes the place of its length.
  return MutableBytes(frame_).subspan(kind == ShapedFrame::Kind::data ? length_size : 0);
}

}  // namespace pqc_tunnel
