// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "shaper.hpp"

#include <algorithm>

#include "base/byte_io.hpp"
#include "base/contract.hpp"

namespace pqc_tunnel
{
namespace
{

// Frames are handed out so much before the link is free, or it would stand still until the owner's timer fires.
constexpr Duration lead = std::chrono::milliseconds(10);

}  // namespace

Shaper::Shaper(const LinkSettings & link, const Settings & settings)
: link_(link), settings_(settings), queue_(link, settings.patience)
{
  require(link.is_thin(), "a shaper needs the rate of its link");
  require(link.mtu > sealed_overhead, "the MTU of a link is larger than the overhead of a frame");
  frame_.reserve(link.mtu);
}

// --- In ---

void Shaper::offer(ByteView datagram, Instant now)
{
  const std::chrono::duration<double> most = longest_load;
  asked_ = std::min(
    (is_idle(now) ? 0 : asked_) + static_cast<double>(datagram.size()),
    most.count() * link_.bytes_per_s());
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
  if (bytes.empty() || bytes.size() > (sealed_to ? link_.mtu : room())) {
    queue_.count_oversize(kind.traffic);
    return;
  }
  queue_.add({{bytes.begin(), bytes.end()}, kind, sealed_to, now}, now);
}

// --- Out ---

Instant Shaper::next_timeout() const
{
  const bool is_full = queue_.unsealed_bytes() >= bundle_room();
  const Instant due = queue_.due(is_full ? Duration{} : settings_.bundle);
  return due == Instant::max() ? due : std::max(due, free_at_ - lead);
}

Duration Shaper::load(Instant now) const
{
  const std::chrono::duration<double> airtime(is_idle(now) ? 0 : asked_ / link_.bytes_per_s());
  return std::min(longest_load, std::chrono::duration_cast<Duration>(airtime));
}

bool Shaper::joins(const ShapedFrame & shaped, const Waiting & next) const
{
  const std::size_t with =
    frame_.size() - sealed_header + FlowQueue::length_size + next.bytes.size();
  return shaped.datagrams == 0 || (shaped.kind != ShapedFrame::Kind::sealed && !next.sealed_to &&
                                   with <= bundle_room() && shaped.datagrams < max_bundled);
}

// Fills a frame with what is next, until that does not fit: nothing overtakes it.
std::optional<ShapedFrame> Shaper::next_frame(Instant now)
{
  queue_.drop_hopeless(now);
  if (now < next_timeout()) {
    return std::nullopt;
  }
  ShapedFrame shaped;
  frame_.assign(sealed_header, 0);
  FlowQueue::Choice next = queue_.choose(now);
  while (next.rank != FlowQueue::Rank::none && joins(shaped, queue_.at(next))) {
    append(shaped, queue_.take(next, now));
    queue_.drop_hopeless(now);
    next = queue_.choose(now);
  }
  shaped.frame = finish(shaped.kind);
  free_at_ = std::max(free_at_, now) + link_.airtime(shaped.frame.size());
  return shaped;
}

// Each datagram follows its length, as in a bundle.
void Shaper::append(ShapedFrame & shaped, const Waiting & one)
{
  shaped.kind = one.sealed_to           ? ShapedFrame::Kind::sealed
                : shaped.datagrams == 0 ? ShapedFrame::Kind::data
                                        : ShapedFrame::Kind::bundle;
  shaped.traffic = std::min(shaped.traffic, one.kind.traffic);
  shaped.to = one.sealed_to.value_or(Endpoint{});
  ++shaped.datagrams;
  ByteWriter out(frame_);
  if (one.sealed_to) {
    frame_.clear();
  } else {
    out.u16(static_cast<std::uint16_t>(one.bytes.size()));
    asked_ = std::max(0.0, asked_ - static_cast<double>(one.bytes.size()));
  }
  out.bytes(one.bytes);
}

MutableBytes Shaper::finish(ShapedFrame::Kind kind)
{
  if (kind == ShapedFrame::Kind::sealed) {
    return frame_;
  }
  frame_.resize(frame_.size() + sealed_overhead - sealed_header);
  // The header of a single datagram takes the place of its length.
  return MutableBytes(frame_).subspan(kind == ShapedFrame::Kind::data ? FlowQueue::length_size : 0);
}

}  // namespace pqc_tunnel
