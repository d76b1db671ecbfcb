// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "outbound.hpp"

#include <algorithm>

#include "link/mavlink/mavlink_class.hpp"

namespace pqc_tunnel
{

Outbound::Outbound(const TunnelSettings & settings, std::deque<Peer> & peers)
: peers_(peers), streams_(peers.size()), least_room_(settings.max_datagram)
{
  for (const LinkSettings & link : settings.paths.links) {
    Link & added = links_.emplace_back();
    added.settings = &link;
    added.queue = std::make_unique<LinkQueue>(link, peers.size());
    least_room_ = std::min(least_room_, link.mtu - sealed_overhead);
  }
  piece_.reserve(settings.max_datagram + frame_overhead);
}

void Outbound::add_peer()
{
  streams_.emplace_back();
  for (Link & link : links_) {
    link.queue->change().add_peer();
  }
  if (peers_.size() > 1 && !links_[0].settings->is_thin()) {
    links_[0].queue->use_found_rate(std::nullopt, false, false);  // it was that of one peer alone
  }
}

// --- Frames that leave at once ---

[[gnu::hot]] Outbound::Ready::Frame & Outbound::Ready::add()
{
  if (empty()) {
    next_ = size_ = 0;
  }
  frames_.resize(std::max(frames_.size(), size_ + 1));
  return frames_[size_++];
}

[[gnu::hot]] void Outbound::Ready::add(
  PeerIndex peer, const Endpoint & to, ByteView bytes, bool in_place)
{
  Frame & added = add();
  added.frame.peer = peer;
  added.frame.to = to;
  added.frame.bytes = bytes;
  added.frame.in_place = in_place;
  if (!in_place) {
    added.memory.assign(bytes.begin(), bytes.end());
    added.frame.bytes = added.memory;
  }
}

// --- Datagrams of the application ---

[[gnu::hot]] bool Outbound::send(
  Peer & peer, MutableBytes frame, const Endpoint & source, Instant now)
{
  if (!is_plain()) {
    return send_classified(peer, frame, source, now);
  }
  if (frame.size() - frame_overhead > least_room_) [[unlikely]] {
    return send_uncut(peer, frame, now);
  }
  if (!peer.seal(FrameKind::data, 1, frame, now)) [[unlikely]] {
    return false;
  }
  for (const Endpoint & to : peer.routes(TrafficClass::other, frame.size(), now)) {
    links_[to.link].ready.add(peer.index(), to, frame, true);
    send_copy(peer, frame, to.link, true, now);
  }
  return true;
}

// Sends each MAVLink frame by itself if the application's datagrams cut frames.
bool Outbound::send_classified(
  Peer & peer, MutableBytes frame, const Endpoint & source, Instant now)
{
  const ByteView datagram = frame.subspan(frame_header_size, frame.size() - frame_overhead);
  MavlinkStream & stream = streams_[static_cast<std::size_t>(peer.index())];
  const bool cuts = stream.cuts();
  bool taken = true;
  stream.push(datagram, source, [&](ByteView bytes, bool) {
    if (cuts) {
      taken = send_piece(peer, bytes, now) && taken;
    }
  });
  if (cuts) {
    return taken;
  }
  if (stream.cuts()) {
    stream.forget_held();
  }
  return send_uncut(peer, frame, now);
}

// Sends a datagram that is too long for some link frame by frame, if it holds whole MAVLink frames.
bool Outbound::send_uncut(Peer & peer, MutableBytes frame, Instant now)
{
  ByteView rest = frame.subspan(frame_header_size, frame.size() - frame_overhead);
  const DatagramClass kind = classify(rest);
  if (rest.size() <= least_room_ || kind.traffic == TrafficClass::other) {
    return send_over_paths(peer, kind, frame, true, now);
  }
  bool taken = true;
  while (const auto piece = take_mavlink_frame(rest)) {
    taken = send_piece(peer, *piece, now) && taken;
  }
  return taken;
}

bool Outbound::send_piece(Peer & peer, ByteView bytes, Instant now)
{
  piece_.resize(bytes.size() + frame_overhead);
  std::ranges::copy(bytes, piece_.begin() + frame_header_size);
  return send_over_paths(peer, classify(bytes), piece_, false, now);
}

// A datagram for one thin link is sealed when its turn comes. One for several links is sealed once, if necessary in
// fragments that each of them takes.
bool Outbound::send_over_paths(
  Peer & peer, const DatagramClass & kind, MutableBytes frame, bool in_place, Instant now)
{
  const ByteView datagram = frame.subspan(frame_header_size, frame.size() - frame_overhead);
  const Routes routes = peer.routes(kind.traffic, 0, now);
  if (
    routes.size() == 1 && links_[routes.begin()->link].queue->is_active() &&
    peer.keys().sending() != nullptr)
  {
    queue(routes.begin()->link, peer.index()).offer(datagram, now);
    return true;
  }
  std::size_t longest_frame = frame.size();
  for (const Endpoint & to : routes) {
    longest_frame = std::min(longest_frame, links_[to.link].settings->mtu);
  }
  if (longest_frame < frame.size() && datagram.size() <= longest_fragmented) {
    return send_in_fragments(peer, kind, datagram, longest_frame, routes, now);
  }
  if (!peer.seal(FrameKind::data, 1, frame, now)) [[unlikely]] {
    return false;
  }
  for (const Endpoint & to : routes) {
    peer.paths().handle_sent(to, frame.size(), now);
    send_sealed(peer.index(), kind, frame, to, in_place, now);
    send_copy(peer, frame, to.link, in_place, now);
  }
  return true;
}

bool Outbound::send_in_fragments(
  Peer & peer, const DatagramClass & kind, ByteView datagram, std::size_t frame_size,
  const Routes & routes, Instant now)
{
  if (!peer.seal_in_fragments(datagram, frame_size, fragments_, now)) {
    return false;
  }
  for (const Endpoint & to : routes) {
    Link & link = links_[to.link];
    if (link.queue->is_active()) {
      queue(to.link, peer.index()).offer_sealed(kind, fragments_, to, now, frame_size);
    }
    for (ByteView rest = fragments_; !rest.empty();) {
      const ByteView frame = rest.first(std::min(frame_size, rest.size()));
      rest = rest.subspan(frame.size());
      peer.paths().handle_sent(to, frame.size(), now);
      if (!link.queue->is_active()) {
        link.ready.add(peer.index(), to, frame, false);
      }
      send_copy(peer, frame, to.link, false, now);
    }
  }
  return true;
}

[[gnu::hot]] void Outbound::send_copy(
  Peer & peer, ByteView frame, std::uint8_t index, bool in_place, Instant now)
{
  if (const auto to = peer.paths().take_copy(index, frame.size(), now)) {
    send_sealed(peer.index(), {TrafficClass::unproved, std::nullopt}, frame, *to, in_place, now);
  }
}

void Outbound::send_own(const SendDatagram & frame, Instant now)
{
  if (frame.to.link >= links_.size()) {
    peers_[static_cast<std::size_t>(frame.peer)].traffic().count(Drop::queue_full);
    return;
  }
  send_sealed(frame.peer, {frame.traffic, std::nullopt}, frame.bytes, frame.to, false, now);
}

void Outbound::send_sealed(
  PeerIndex peer, const DatagramClass & kind, ByteView frame, const Endpoint & to, bool in_place,
  Instant now)
{
  if (Link & link = links_[to.link]; link.queue->is_active()) {
    queue(to.link, peer).offer_sealed(kind, frame, to, now);
  } else {
    link.ready.add(peer, to, frame, in_place);
  }
}

// --- Frames for the links ---

[[gnu::hot]] std::optional<Transmit> Outbound::poll(std::uint8_t link, Instant now)
{
  if (Ready & ready = links_[link].ready; !ready.empty()) {
    return ready.take();
  }
  if (links_[link].queue->due() > now) {
    return std::nullopt;
  }
  auto frame = next_shaped(link, now);
  use_found_rate(now);  // an empty queue may no longer be needed
  return frame;
}

std::optional<Transmit> Outbound::next_shaped(std::uint8_t index, Instant now)
{
  while (const auto turn = links_[index].queue->change().next_frame(now)) {
    Peer & peer = peers_[turn->peer];
    const ShapedFrame & shaped = turn->shaped;
    if (shaped.kind == ShapedFrame::Kind::sealed) {
      return Transmit{peer.index(), shaped.to, shaped.frame, false};
    }
    if (seal(peer, shaped, queue(index, peer.index()), now)) {
      const Endpoint to = peer.paths().remote(index);
      peer.paths().handle_sent(to, shaped.frame.size(), now);
      send_copy(peer, shaped.frame, index, false, now);
      return Transmit{peer.index(), to, shaped.frame, false};
    }
  }
  return std::nullopt;
}

// Seals the frame; tells the shaper if a fragment cannot be sealed.
bool Outbound::seal(Peer & peer, const ShapedFrame & shaped, Shaper & shaper, Instant now)
{
  if (shaped.kind != ShapedFrame::Kind::fragment) {
    const bool is_bundle = shaped.kind == ShapedFrame::Kind::bundle;
    const FrameKind kind = is_bundle ? FrameKind::bundle : FrameKind::data;
    return peer.seal(kind, shaped.datagrams, shaped.frame, now);
  }
  switch (peer.seal_fragment(shaped.frame, shaped.place, *shaped.origin, now)) {
    case SealedFragment::sealed:
      return true;
    case SealedFragment::begin_again:
      shaper.begin_again();
      break;
    case SealedFragment::refused:
      shaper.abandon();
      break;
  }
  return false;
}

[[gnu::hot]] Instant Outbound::next_transmit(std::uint8_t link) const
{
  return links_[link].ready.empty() ? links_[link].queue->due() : Instant{};
}

// --- Changes of links ---

void Outbound::adapt(Peer & peer, Instant now)
{
  use_found_rate(now);
  for (std::size_t link = 0; links_.size() > 1 && link < links_.size(); ++link) {
    save_waiting(peer, static_cast<std::uint8_t>(link), now);
  }
}

// Sends datagrams that wait for a link that is down over another one.
void Outbound::save_waiting(Peer & peer, std::uint8_t index, Instant now)
{
  const Endpoint other = peer.paths().is_down(index) ? peer.address() : Endpoint{};
  if (other.family == AddressFamily::none || other.link == index) {
    return;
  }
  for (const Bytes & datagram : queue(index, peer.index()).take_unsealed()) {
    send_piece(peer, datagram, now);
  }
}

void Outbound::handle_link_down(std::uint8_t index, Instant now)
{
  if (index < links_.size()) {
    for (Peer & peer : peers_) {
      save_waiting(peer, index, now);
    }
    links_[index].queue->change().clear();
    report_streams(index, now, [](PeerIndex) {});
  }
}

[[gnu::hot]] void Outbound::handle_arrival(std::uint8_t index, std::size_t bytes)
{
  if (index < links_.size() && links_[index].queue->is_active()) {
    links_[index].queue->change().handle_arrival(bytes);
  }
}

// Applies to a single peer only, because drones that share a socket have paths of their own.
void Outbound::use_found_rate(Instant now)
{
  if (peers_.size() == 1) {
    const Peer & peer = peers_[0];
    links_[0].queue->use_found_rate(peer.found_rate(), peer.makes_way(), peer.is_crowded(now));
  }
}

void Outbound::describe(PeerSnapshot & snapshot, PeerIndex peer, Instant now) const
{
  for (PathReport & path : snapshot.paths) {
    const LinkQueue & queue = *links_[path.link].queue;
    const Shaper & shaper = queue.shaper().of(static_cast<std::size_t>(peer));
    for (std::size_t i = 0; i < traffic_classes; ++i) {
      path.shaped[i] = shaper.counts(static_cast<TrafficClass>(i));
    }
    path.load = queue.is_active() ? std::optional(shaper.load(now)) : std::nullopt;
  }
}

}  // namespace pqc_tunnel
