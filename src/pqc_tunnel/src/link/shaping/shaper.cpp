// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "shaper.hpp"

#include <algorithm>
#include <utility>

#include "base/contract.hpp"

namespace pqc_tunnel
{
namespace
{

// Frames are handed out so long before the link is free, or it would idle until the owner's timer fires.
constexpr Duration lead = std::chrono::milliseconds(10);
// A fragment waits no longer for urgent datagrams, or a flood of commands would stop its datagram for ever.
constexpr Duration longest_between = std::chrono::milliseconds(100);
// An urgent datagram that may not pass waits no longer for the rest of an expendable one.
constexpr Duration longest_rest = std::chrono::milliseconds(250);

}  // namespace

Shaper::Shaper(const LinkSettings & link, const Settings & settings)
: link_(link), settings_(settings), queue_(link, settings.patience)
{
  require(link.is_thin(), "a shaper needs the rate of its link");
  require(link.mtu > sealed_overhead, "the MTU of a link is larger than the overhead of a frame");
  frame_.reserve(link.mtu);
}

// --- Datagrams that come in ---

void Shaper::offer(ByteView datagram, Instant now)
{
  asked_ = std::min(
    (is_idle(now) ? 0 : asked_) + static_cast<double>(datagram.size()),
    in_seconds(longest_load) * link_.bytes_per_s());
  const DatagramClass whole = classify(datagram);
  if (whole.traffic == TrafficClass::other) {
    add({{datagram.begin(), datagram.end()}, whole, std::nullopt, now}, now);
    return;
  }
  while (const auto frame = take_mavlink_frame(datagram)) {
    add({{frame->begin(), frame->end()}, classify(*frame), std::nullopt, now}, now);
  }
}

void Shaper::offer_sealed(
  const DatagramClass & kind, ByteView frames, const Endpoint & to, Instant now,
  std::size_t frame_size)
{
  Waiting one{{frames.begin(), frames.end()}, kind, to, now};
  one.fragment = frame_size;
  add(std::move(one), now);
}

void Shaper::add(Waiting one, Instant now)
{
  const std::size_t size = one.bytes.size();
  if (!one.sealed_to && size > room() && room() > fragment_header && size <= longest_fragmented) {
    one.fragment = fragment_room();
  }
  const std::size_t longest_frame = one.fragment > 0 ? one.fragment : size;
  if (size == 0 || longest_frame > (one.sealed_to ? link_.mtu : room())) {
    queue_.count_oversize(one.kind.traffic);
    return;
  }
  queue_.add(std::move(one), now);
}

// --- Frames that leave ---

Instant Shaper::next_timeout() const
{
  const bool is_full = queue_.unsealed_bytes() >= bundle_room();
  const Instant due =
    is_cutting() ? Instant{} : queue_.due(is_full ? Duration{} : settings_.bundle);
  const bool in_advance = is_cutting() || !queue_.only_background();
  return due == Instant::max() ? due : std::max(due, free_at_ - (in_advance ? lead : Duration{}));
}

Duration Shaper::load(Instant now) const
{
  return std::min(longest_load, from_seconds(is_idle(now) ? 0 : asked_ / link_.bytes_per_s()));
}

bool Shaper::joins(const ShapedFrame & shaped, const Waiting & next) const
{
  const std::size_t with = frame_.size() - sealed_header + bundle_.size_of(next.bytes);
  return shaped.datagrams == 0 || (shaped.kind != ShapedFrame::Kind::sealed && !next.sealed_to &&
                                   with <= bundle_room() && shaped.datagrams < max_bundled);
}

// Fills a frame with the next datagrams until one does not fit, so that nothing overtakes that one.
std::optional<ShapedFrame> Shaper::next_frame(Instant now)
{
  queue_.drop_hopeless(now);
  if (is_cutting() && now > cut_->begun + patience(cut_->whole)) {
    cut_off(&ShaperCounts::stale);
  }
  if (now < next_timeout()) {
    return std::nullopt;
  }
  FlowQueue::Choice next = queue_.choose(now);
  if (is_in_the_way(next)) {
    cut_off(&ShaperCounts::full);
  }
  if (!is_cutting() && next.rank != FlowQueue::Rank::none && queue_.at(next).fragment > 0) {
    cut_ = Cut{queue_.take(next, now), 0, {}, now, now};
    next = queue_.choose(now);
  }
  ShapedFrame shaped;
  if (is_cutting() && !may_leave(next, now)) {
    shaped = next_fragment(now);
  } else {
    frame_.assign(sealed_header, 0);
    bundle_.clear();
    while (may_leave(next, now) && joins(shaped, queue_.at(next))) {
      append(shaped, queue_.take(next, now));
      queue_.drop_hopeless(now);
      next = queue_.choose(now);
    }
    shaped.frame = finish(shaped.kind);
  }
  free_at_ = std::max(free_at_, now) + link_.airtime(shaped.frame.size());
  return shaped;
}

// True if `next` has another sender than the datagram that has left in part; false if either has no single sender.
bool Shaper::is_of_another(const Waiting & next) const
{
  const auto & sender = cut_->whole.kind.sender;
  return sender && next.kind.sender && *sender != *next.kind.sender;
}

// True if the choice may leave now, even if a datagram has left in part.
bool Shaper::may_leave(const FlowQueue::Choice & choice, Instant now) const
{
  const FlowQueue::Rank rank = choice.rank;
  if (!is_cutting() || rank == FlowQueue::Rank::none) {
    return rank != FlowQueue::Rank::none;
  }
  const Waiting & next = queue_.at(choice);
  return rank < FlowQueue::Rank::data && next.fragment == 0 &&
         (rank != FlowQueue::Rank::urgent ||
          (is_of_another(next) && now < cut_->left + link_.airtime(link_.mtu) + longest_between));
}

// True if an urgent datagram would wait too long for the rest of an expendable one.
bool Shaper::is_in_the_way(const FlowQueue::Choice & choice) const
{
  if (!is_cutting() || choice.rank != FlowQueue::Rank::urgent || is_of_another(queue_.at(choice))) {
    return false;
  }
  const TrafficClass traffic = cut_->whole.kind.traffic;
  return (traffic == TrafficClass::telemetry || traffic == TrafficClass::other) &&
         link_.airtime(cut_->whole.bytes.size() - cut_->offset) > longest_rest;
}

ShapedFrame Shaper::next_fragment(Instant now)
{
  const Waiting & whole = cut_->whole;
  const ByteView bytes = ByteView(whole.bytes)
                           .subspan(cut_->offset)
                           .first(std::min(whole.fragment, whole.bytes.size() - cut_->offset));
  ShapedFrame shaped;
  shaped.traffic = whole.kind.traffic;
  shaped.place = {cut_->offset, cut_->offset + bytes.size() == whole.bytes.size()};
  shaped.datagrams = shaped.place.is_last ? 1 : 0;
  frame_.clear();
  if (whole.sealed_to) {
    shaped.kind = ShapedFrame::Kind::sealed;
    shaped.to = *whole.sealed_to;
    frame_.assign(bytes.begin(), bytes.end());
  } else {
    shaped.kind = ShapedFrame::Kind::fragment;
    shaped.origin = &cut_->origin;
    frame_.resize(sealed_header + fragment_header);
    frame_.insert(frame_.end(), bytes.begin(), bytes.end());
    frame_.resize(frame_.size() + sealed_overhead - sealed_header);
    asked_ = std::max(0.0, asked_ - static_cast<double>(bytes.size()));
  }
  cut_->offset += bytes.size();
  cut_->left = now;
  shaped.frame = frame_;
  return shaped;
}

void Shaper::begin_again()
{
  if (cut_) {
    cut_->offset = 0;
  }
}

void Shaper::cut_off(std::uint64_t ShaperCounts::*reason)
{
  if (cut_) {
    queue_.count_cut_off(cut_->whole.kind.traffic, reason);
    cut_.reset();
  }
}

// A datagram that has left in part goes by the other link from its beginning.
std::vector<Bytes> Shaper::take_unsealed()
{
  std::vector<Bytes> taken = queue_.take_unsealed();
  if (is_cutting() && !cut_->whole.sealed_to) {
    taken.insert(taken.begin(), std::move(cut_->whole.bytes));
    queue_.count_given_back(cut_->whole.kind.traffic);
    cut_.reset();
  }
  return taken;
}

void Shaper::clear()
{
  queue_.clear();
  if (is_cutting()) {
    cut_off(&ShaperCounts::stale);
  }
}

// A single datagram that an entry would hold whole leaves as FrameKind::data.
void Shaper::append(ShapedFrame & shaped, const Waiting & one)
{
  shaped.traffic = std::min(shaped.traffic, one.kind.traffic);
  shaped.to = one.sealed_to.value_or(Endpoint{});
  ++shaped.datagrams;
  if (one.sealed_to) {
    shaped.kind = ShapedFrame::Kind::sealed;
    frame_ = one.bytes;
    return;
  }
  const bool is_shorter = bundle_.append(one.bytes, frame_);
  shaped.kind =
    is_shorter || shaped.datagrams > 1 ? ShapedFrame::Kind::bundle : ShapedFrame::Kind::data;
  asked_ = std::max(0.0, asked_ - static_cast<double>(one.bytes.size()));
}

MutableBytes Shaper::finish(ShapedFrame::Kind kind)
{
  if (kind == ShapedFrame::Kind::sealed) {
    return frame_;
  }
  frame_.resize(frame_.size() + sealed_overhead - sealed_header);
  // The header of a single datagram takes the place of its length.
  return MutableBytes(frame_).subspan(
    kind == ShapedFrame::Kind::data ? BundleWriter::length_size : 0);
}

}  // namespace pqc_tunnel
