// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// The way of a datagram: plaintext socket -> Tunnel::seal -> link, and link -> Tunnel::open ->
// plaintext socket.

#include <algorithm>
#include <array>
#include <utility>

#include "packet_loop.hpp"
#include "paths/mavlink_class.hpp"
#include "protocol/hello_messages.hpp"

namespace pqc_tunnel
{

void PacketLoop::seal_from(PlaintextSide & side, Instant now)
{
  const PeerIndex peer = side.peer();
  const std::size_t received = side.receive(from_plaintext_, now);
  std::array<bool, batch_size> kept = {};
  for (std::size_t i = 0; i < received; ++i) {
    const bool foreign = side.is_foreign(from_plaintext_.source(i));
    kept[i] = !foreign && from_plaintext_.waited(i) <= config_.settings.max_age;
    if (!kept[i]) {
      tunnel_.count_drop(peer, foreign ? Drop::foreign : Drop::stale);
    } else if (!from_plaintext_.truncated(i)) {
      side.mirror_outward(from_plaintext_.datagram(i), from_plaintext_.source(i));
    }
  }
  side.flush_mirror();
  for (std::size_t i = 0; i < received; ++i) {
    const MutableBytes frame = from_plaintext_.framed(i);  // one too long is refused by its size
    if (!kept[i]) {
      continue;
    }
    if (!is_plain_) {
      send_classified(peer, i, now);
    } else if (from_plaintext_.datagram(i).size() > least_room_) {
      send_long(peer, i, now);
    } else if (tunnel_.seal(peer, frame, now)) {
      for (const Endpoint & to : tunnel_.routes(peer, TrafficClass::other, frame.size(), now)) {
        send(peer, frame, to);
        send_copy(peer, frame, to.link, now);
      }
    }
  }
  flush_links();
  pump_shapers(now);
}

// Where classes matter, each frame goes by itself if the application's datagrams cut them.
void PacketLoop::send_classified(PeerIndex peer, std::size_t received, Instant now)
{
  MavlinkStream & stream = classified_[static_cast<std::size_t>(peer)];
  const bool cuts = stream.cuts();
  const auto send_if_cut = [&](ByteView bytes, bool) {
    if (cuts) {
      send_piece(peer, bytes, now);
    }
  };
  if (!from_plaintext_.truncated(received)) {
    stream.push(
      from_plaintext_.datagram(received), to_endpoint(from_plaintext_.source(received)),
      send_if_cut);
  }
  if (!cuts) {
    if (stream.cuts()) {
      stream.forget_held();
    }
    if (from_plaintext_.datagram(received).size() > least_room_) {
      send_long(peer, received, now);
    } else {
      send_over_paths(peer, from_plaintext_.framed(received), now);
    }
  }
}

// A datagram that is too long for some link goes frame by frame, if it holds whole MAVLink frames.
void PacketLoop::send_long(PeerIndex peer, std::size_t received, Instant now)
{
  ByteView rest = from_plaintext_.datagram(received);
  if (classify(rest).traffic == TrafficClass::other) {
    send_over_paths(peer, from_plaintext_.framed(received), now);
    return;
  }
  while (const auto frame = take_mavlink_frame(rest)) {
    send_piece(peer, *frame, now);
  }
}

void PacketLoop::send_piece(PeerIndex peer, ByteView bytes, Instant now)
{
  piece_.resize(bytes.size() + Tunnel::frame_overhead);
  std::ranges::copy(bytes, piece_.begin() + Tunnel::frame_headroom);
  send_over_paths(peer, piece_, now);
  flush_links();  // its bytes live until the next piece
}

// A datagram for one thin link is sealed when its turn has come; one for several links is sealed once, if necessary in
// fragments that each of them takes.
void PacketLoop::send_over_paths(PeerIndex peer, MutableBytes frame, Instant now)
{
  const ByteView datagram =
    frame.subspan(Tunnel::frame_headroom, frame.size() - Tunnel::frame_overhead);
  const DatagramClass kind = classify(datagram);
  const Routes routes = tunnel_.routes(peer, kind.traffic, 0, now);
  const auto index = static_cast<std::size_t>(peer);
  if (routes.size() == 1 && links_[routes.begin()->link].is_thin() && tunnel_.has_keys(peer)) {
    links_[routes.begin()->link].shaper().of(index).offer(datagram, now);
    return;
  }
  std::size_t longest_frame = frame.size();
  for (const Endpoint & to : routes) {
    longest_frame = std::min(longest_frame, links_[to.link].settings().mtu);
  }
  if (longest_frame < frame.size() && datagram.size() <= longest_fragmented) {
    send_in_fragments(peer, datagram, longest_frame, routes, now);
    return;
  }
  if (!tunnel_.seal(peer, frame, now)) {
    return;
  }
  for (const Endpoint & to : routes) {
    Link & link = links_[to.link];
    if (link.is_thin()) {
      link.shaper().of(index).offer_sealed(kind, frame, to, now);
    } else {
      tunnel_.count_sent(peer, to, frame.size(), now);
      send(peer, frame, to);
    }
    send_copy(peer, frame, to.link, now);
  }
}

void PacketLoop::send_in_fragments(
  PeerIndex peer, ByteView datagram, std::size_t frame_size, const Routes & routes, Instant now)
{
  if (!tunnel_.seal_in_fragments(peer, datagram, frame_size, fragments_, now)) {
    return;
  }
  flush_links();  // so that there is room for all of them
  for (const Endpoint & to : routes) {
    Link & link = links_[to.link];
    if (link.is_thin()) {
      link.shaper()
        .of(static_cast<std::size_t>(peer))
        .offer_sealed(classify(datagram), fragments_, to, now, frame_size);
    }
    for (ByteView rest = fragments_; !rest.empty();) {
      const ByteView frame = rest.first(std::min(frame_size, rest.size()));
      rest = rest.subspan(frame.size());
      if (!link.is_thin()) {
        tunnel_.count_sent(peer, to, frame.size(), now);
        send(peer, frame, to);
      }
      send_copy(peer, frame, to.link, now);
    }
  }
  flush_links();  // their bytes live until the next datagram
}

void PacketLoop::send_copy(PeerIndex peer, ByteView frame, std::uint8_t index, Instant now)
{
  const auto to = tunnel_.take_copy(peer, index, frame.size(), now);
  if (!to) {
    return;
  }
  if (Link & link = links_[index]; link.is_thin()) {
    link.shaper()
      .of(static_cast<std::size_t>(peer))
      .offer_sealed({TrafficClass::unproved, std::nullopt}, frame, *to, now);
  } else {
    send(peer, frame, *to);
  }
}

void PacketLoop::send(PeerIndex peer, ByteView frame, const Endpoint & to)
{
  if (to.link >= links_.size() || !links_[to.link].send(frame, to, static_cast<std::size_t>(peer)))
  {
    tunnel_.count_drop(peer, Drop::queue_full);
  }
}

void PacketLoop::open_from(std::size_t index, std::uint32_t events, Instant now)
{
  Link & link = links_[index];
  hellos_.clear();
  if (link.is_closed() && !link.is_serial()) {
    return;
  }
  if (!link.is_serial()) {
    begin_charging();
    const std::size_t received = from_link_.receive(link.socket().fd.get(), now);
    for (std::size_t i = 0; i < received; ++i) {
      Endpoint from = to_endpoint(from_link_.source(i));
      from.link = static_cast<std::uint8_t>(index);
      open_one(from_link_.datagram(i), from, from_link_.waited(i), now);
    }
    flush_plaintexts();
    handle_hellos(now);
    return;
  }
  if ((events & EPOLLOUT) != 0) {
    link.line().flush();
  }
  if ((events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) {
    const auto take = [&](MutableBytes frame) {
      begin_charging();
      open_one(frame, link.far_end(), stood_still_, now);
      flush_plaintexts();
      handle_hellos(now);  // its bytes live until the next frame
      hellos_.clear();
    };
    // The kernel gives the bytes of a line no time stamp: all that wait after a standstill may be as old.
    while (link.line().receive(take) > 0 && stood_still_ > Duration{}) {
    }
  }
  look_after_links(now);
}

void PacketLoop::open_one(
  MutableBytes datagram, const Endpoint & from, Duration waited, Instant now)
{
  if (datagram.empty()) {
    return;  // a probe
  }
  if (is_hello(datagram)) {
    if (links_[from.link].is_serial() && hello_type(datagram)) {
      links_[from.link].line().handle_genuine_frame();
    }
    hellos_.push_back({datagram, from});
    return;
  }
  if (waited > config_.settings.max_age) {
    tunnel_.count_stale(datagram);
    return;
  }
  const std::size_t size = datagram.size();
  const Opened opened = tunnel_.open(datagram, from, now);
  if (Link & link = links_[from.link]; opened.peer && link.is_thin()) {
    link.shaper().handle_arrival(size);
    if (link.is_serial()) {
      link.line().handle_genuine_frame();
    }
  }
  if (opened.forward) {
    forward(opened);
  }
  carry_out_outputs();
  charge(opened.peer);
}

void PacketLoop::begin_charging()
{
  if (plaintexts_.size() > 1) {
    tunnel_.share_time(charged_until_ - opening_since_ + std::exchange(idle_, {}));
    charged_until_ = opening_since_ = thread_time();
  }
}

// All that has happened since the last call was for this peer, or for none. A single one has nobody to share with.
void PacketLoop::charge(std::optional<PeerIndex> peer)
{
  if (plaintexts_.size() == 1) {
    return;
  }
  const Duration now = thread_time();
  const Duration time = now - std::exchange(charged_until_, now);
  if (peer) {
    tunnel_.spend(*peer, time);
  }
}

void PacketLoop::forward(const Opened & opened)
{
  PlaintextSide & side = plaintexts_[static_cast<std::size_t>(*opened.peer)];
  const auto add = [&](ByteView datagram) {
    if (!side.add(datagram)) {
      tunnel_.count_drop(*opened.peer, Drop::queue_full);
    }
  };
  if (!opened.bundle) {
    add(opened.plaintext);
  }
  MutableBytes rest = opened.plaintext;
  while (const auto datagram = opened.bundle ? take_from_bundle(rest) : std::nullopt) {
    if (side.is_full()) {
      flush(side);
    }
    add(*datagram);
  }
  if (opened.assembled) {
    flush(side);
  }
}

// After the sealed datagrams, and in a share of the time: each costs a MAC, whoever sent it.
void PacketLoop::handle_hellos(Instant now)
{
  if (hellos_.empty()) {
    return;
  }
  Instant begun = monotonic_now();  // the sealed datagrams have taken their time
  for (const Hello & hello : hellos_) {
    const bool is_live = live_addresses_.contains(hello.from);
    if (!hello_budget_.allows(begun, is_live)) {
      ++hellos_discarded_;
      continue;
    }
    tunnel_.handle_hello(hello.frame, hello.from, now);
    carry_out_outputs();
    const Instant done = monotonic_now();
    hello_budget_.spend(is_live, done - begun);
    begun = done;
  }
}

void PacketLoop::flush_plaintexts()
{
  for (PlaintextSide & side : plaintexts_) {
    if (side.has_queued()) {
      flush(side);
      charge(side.peer());
    }
  }
}

void PacketLoop::flush(PlaintextSide & side)
{
  side.flush([this, &side](bool oversize) {
    tunnel_.count_drop(side.peer(), oversize ? Drop::oversize : Drop::queue_full);
  });
}

void PacketLoop::flush_links()
{
  for (Link & link : links_) {
    link.flush([this](std::size_t peer, bool oversize) {
      tunnel_.count_drop(
        static_cast<PeerIndex>(peer), oversize ? Drop::oversize : Drop::queue_full);
    });
  }
}

// --- Thin and serial links ---

// Hands to each link of known rate what it takes now.
void PacketLoop::pump_shapers(Instant now)
{
  for (std::size_t index = 0; index < links_.size(); ++index) {
    Link & link = links_[index];
    if (link.is_thin()) {
      save_waiting(index, now);
    }
    while (link.is_thin() && link.is_free()) {
      const auto turn = link.shaper().next_frame(now);
      if (!turn) {
        break;
      }
      const PeerIndex peer{static_cast<std::uint32_t>(turn->peer)};
      const ShapedFrame & shaped = turn->shaped;
      const bool sealed = shaped.kind == ShapedFrame::Kind::sealed;
      Shaper & shaper = link.shaper().of(turn->peer);
      const Endpoint to =
        sealed ? shaped.to : tunnel_.address_on(peer, static_cast<std::uint8_t>(index));
      if (to.family == AddressFamily::none || !tunnel_.seal(peer, shaped, shaper, now)) {
        continue;
      }
      if (!sealed) {
        tunnel_.count_sent(peer, to, shaped.frame.size(), now);
        send_copy(peer, shaped.frame, to.link, now);
      }
      send(peer, shaped.frame, to);
      flush_links();
    }
    for (std::size_t i = 0; link.settings().is_thin() && i < plaintexts_.size(); ++i) {
      tunnel_.handle_stream_queue(
        PeerIndex{static_cast<std::uint32_t>(i)}, static_cast<std::uint8_t>(index),
        link.shaper().of(i).counts(TrafficClass::stream).waiting(), now);
    }
    watch_line(index);
  }
}

// What waits for a link that was given up goes over another one.
void PacketLoop::save_waiting(std::size_t index, Instant now)
{
  const auto number = static_cast<std::uint8_t>(index);
  for (std::size_t i = 0; i < plaintexts_.size(); ++i) {
    const PeerIndex peer{static_cast<std::uint32_t>(i)};
    Shaper & shaper = links_[index].shaper().of(i);
    if (!shaper.has_unsealed() || !tunnel_.is_down(peer, number)) {
      continue;
    }
    const Endpoint other = tunnel_.destination(peer);
    if (other.family == AddressFamily::none || other.link == number) {
      continue;
    }
    for (const Bytes & datagram : shaper.take_unsealed()) {
      Bytes frame(datagram.size() + Tunnel::frame_overhead);
      std::ranges::copy(datagram, frame.begin() + Tunnel::frame_headroom);
      send_over_paths(peer, frame, now);
      flush_links();
    }
  }
}

// The poller reports a device as writable only while something waits for it.
void PacketLoop::watch_line(std::size_t index)
{
  Link & link = links_[index];
  if (!link.is_serial() || !link.line().is_open()) {
    return;
  }
  const bool writing = link.line().wants_write();
  if (writing != line_writing_[index]) {
    line_writing_[index] = writing;
    poller_.modify(link.line().fd(), {Source::link, index}, writing ? EPOLLIN | EPOLLOUT : EPOLLIN);
  }
}

void PacketLoop::handle_closed(std::size_t index, Instant now)
{
  link_open_[index] = false;
  tunnel_.handle_link_down(static_cast<std::uint8_t>(index), now);
  if (links_[index].is_thin()) {
    save_waiting(index, now);
  }
  links_[index].handle_closed(now);
}

// A trouble that comes and goes is logged now and then.
void PacketLoop::note_troubles(Instant now)
{
  constexpr Duration same_again = std::chrono::minutes(1);
  for (std::size_t index = 0; index < links_.size(); ++index) {
    LinkTrouble & trouble = troubles_[index];
    std::string text = links_[index].trouble();
    if (text == trouble.present) {
      continue;
    }
    tunnel_.note_link_trouble(static_cast<std::uint8_t>(index), text);
    trouble.present = std::move(text);
    if (
      !trouble.present.empty() &&
      (trouble.present != trouble.told || now >= trouble.told_at + same_again))
    {
      trouble.told = trouble.present;
      trouble.told_at = now;
      carry_out(Event{
        EventKind::link_changed, now, std::nullopt, nullptr, Epoch{},
        "link " + links_[index].settings().name + ": " + trouble.present, EventSeverity::warning});
    }
  }
}

// Devices and interfaces come and go.
void PacketLoop::look_after_links(Instant now)
{
  for (std::size_t index = 0; index < links_.size(); ++index) {
    Link & link = links_[index];
    const auto number = static_cast<std::uint8_t>(index);
    if (link_open_[index] && link.is_closed()) {
      handle_closed(index, now);
    }
    link.look(now);
    if (link_open_[index] && link.is_closed()) {
      handle_closed(index, now);
    } else if (!link_open_[index] && !link.is_closed()) {
      link_open_[index] = true;
      line_writing_[index] = false;
      const int fd = link.is_serial() ? link.line().fd() : link.socket().fd.get();
      poller_.add(fd, {Source::link, index}, EPOLLIN);
      tunnel_.handle_link_up(number, now);
    }
  }
  carry_out_outputs();
  pump_shapers(now);
  carry_out_outputs();  // what follows the frames that have left
}

}  // namespace pqc_tunnel
