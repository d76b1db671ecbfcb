// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// The packet path: plaintext socket -> Tunnel::handle_plaintext -> link, and link -> Tunnel::handle_datagram ->
// plaintext socket.

#include <algorithm>
#include <array>
#include <utility>

#include "packet_loop.hpp"
#include "protocol/handshake/hello_messages.hpp"

namespace pqc_tunnel
{
[[gnu::hot]] void PacketLoop::seal_from(PlaintextSide & plaintext, bool connected, Instant now)
{
  const PeerIndex peer = plaintext.peer();
  const std::size_t received = plaintext.receive(from_plaintext_, connected, now);
  side(peer).carried = true;
  std::array<bool, batch_size> kept = {};
  for (std::size_t i = 0; i < received; ++i) {
    const Endpoint source = to_endpoint(from_plaintext_.source(i));
    const bool foreign = plaintext.is_foreign(source);
    kept[i] = !foreign && from_plaintext_.waited(i) <= max_age_;
    if (!kept[i]) {
      tunnel_.count_drop(peer, foreign ? Drop::foreign : Drop::stale);
    } else if (!from_plaintext_.truncated(i)) {
      plaintext.mirror_outward(from_plaintext_.datagram(i), source);
    }
  }
  plaintext.flush_mirror();
  for (std::size_t i = 0; i < received; ++i) {
    if (kept[i]) {  // handle_plaintext() refuses one that is too long
      tunnel_.handle_plaintext(
        peer, from_plaintext_.framed(i), to_endpoint(from_plaintext_.source(i)), now);
    }
  }
}

// Gives each link the frames that it takes now.
[[gnu::hot]] void PacketLoop::transmit(Instant now)
{
  for (std::size_t index = 0; index < links_.size(); ++index) {
    Link & link = links_[index];
    std::size_t queued = 0;
    const auto number = static_cast<std::uint8_t>(index);
    while (link.is_free() && tunnel_.next_transmit(number) <= now) {
      const auto frame = tunnel_.poll_transmit(number, now);
      if (!frame) [[unlikely]] {
        break;
      }
      if (queued++ == batch_size) [[unlikely]] {
        flush(link);
        queued = 1;
        kept_frames_ = 0;
      }
      const ByteView bytes = frame->in_place ? frame->bytes : keep(frame->bytes);
      if (!link.send(bytes, frame->to, static_cast<std::size_t>(frame->peer))) [[unlikely]] {
        tunnel_.count_drop(frame->peer, Drop::queue_full);
      }
    }
    if (queued > 0) {
      flush(link);
      kept_frames_ = 0;
    }
    watch_line(index);
  }
}

// Returns a copy that is valid until the link is flushed, so that frames of the tunnel itself leave in one call, too.
ByteView PacketLoop::keep(ByteView frame)
{
  kept_.resize(std::max(kept_.size(), kept_frames_ + 1));
  Bytes & copy = kept_[kept_frames_++];
  copy.assign(frame.begin(), frame.end());
  return copy;
}

void PacketLoop::open_from(std::size_t index, std::uint32_t events, Instant now)
{
  Link & link = links_[index];
  hellos_.clear();
  if (link.is_closed() && !link.is_serial()) {
    return;
  }
  if (!link.is_serial()) {
    open_datagrams(index, link.socket().fd.get(), now);
    return;
  }
  if ((events & EPOLLOUT) != 0) {
    link.line().flush();
  }
  if ((events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) {
    const auto take = [&](MutableBytes frame) {
      begin_charging();
      open_one(frame, link.far_end(), stood_still_, now);
      deliver();
      charge();
      if (!hellos_.empty()) {
        handle_hellos(now);  // the bytes of a hello are valid until the next frame
        hellos_.clear();
      }
    };
    // Bytes of a serial line have no time stamp, so after a standstill all that wait count as old.
    while (link.line().receive(take) > 0 && stood_still_ > Duration{}) {
    }
  }
  look_after_links(now);
}

[[gnu::hot]] void PacketLoop::open_datagrams(std::size_t link, int socket, Instant now)
{
  begin_charging();
  const std::size_t received = from_link_.receive(socket, now);
  for (std::size_t i = 0; i < received; ++i) {
    Endpoint from = to_endpoint(from_link_.source(i));
    from.link = static_cast<std::uint8_t>(link);
    open_one(from_link_.datagram(i), from, from_link_.waited(i), now);
  }
  deliver();
  charge();
  if (!hellos_.empty()) {
    handle_hellos(now);
  }
}

[[gnu::hot]] void PacketLoop::open_one(
  MutableBytes datagram, const Endpoint & from, Duration waited, Instant now)
{
  if (datagram.empty()) [[unlikely]] {
    return;  // a probe
  }
  if (is_hello(datagram)) [[unlikely]] {
    if (links_[from.link].is_serial() && hello_type(datagram)) {
      links_[from.link].line().handle_genuine_frame();
    }
    hellos_.push_back({datagram, from});
    return;
  }
  const Opened opened = tunnel_.handle_datagram(datagram, from, now, waited);
  if (links_[from.link].is_serial() && opened.peer) [[unlikely]] {
    links_[from.link].line().handle_genuine_frame();
  }
  if (opened.forward) {
    forward(opened);
  }
  if (shares_time_) {  // what follows from it is work for its peer
    carry_out_outputs(now);
    note_work(opened.peer);
  }
}

[[gnu::hot]] void PacketLoop::begin_charging()
{
  if (shares_time_) {
    tunnel_.charge(std::nullopt, std::exchange(uncharged_, {}));
    work_.begin(monotonic_now());
  }
}

// Something was done for this peer, or for none.
[[gnu::hot]] void PacketLoop::note_work(std::optional<PeerIndex> peer)
{
  if (shares_time_) {
    work_.note(peer, monotonic_now());
  }
}

[[gnu::hot]] void PacketLoop::charge()
{
  if (!work_.is_due()) {
    return;
  }
  work_.settle(thread_time(), [this](std::optional<PeerIndex> peer, Duration time) {
    if (peer) {
      tunnel_.charge(peer, time);
    } else {
      uncharged_ += time;
    }
  });
}

[[gnu::hot]] void PacketLoop::forward(const Opened & opened)
{
  if (!opened.bundle) {
    delivered_.push_back({*opened.peer, opened.plaintext});
  }
  MutableBytes rest = opened.plaintext;
  while (const auto datagram = opened.bundle ? take_from_bundle(rest) : std::nullopt) {
    delivered_.push_back({*opened.peer, *datagram});
  }
  if (opened.assembled) [[unlikely]] {
    deliver();
  }
}

// Handles hellos after the sealed datagrams and in a share of the time, because one from anybody costs a MAC.
void PacketLoop::handle_hellos(Instant now)
{
  Instant begun = monotonic_now();  // after the sealed datagrams
  for (const Hello & hello : hellos_) {
    const bool is_live = live_addresses_.contains(hello.from);
    if (!hello_budget_.allows(begun, is_live)) {
      ++hellos_discarded_;
      continue;
    }
    tunnel_.handle_datagram(hello.frame, hello.from, now);
    carry_out_outputs(now);
    const Instant done = monotonic_now();
    hello_budget_.spend(is_live, done - begun);
    begun = done;
  }
}

// Sends what forward() was given, with a system call or more for each peer.
[[gnu::hot]] void PacketLoop::deliver()
{
  if (shares_time_ && !std::ranges::is_sorted(delivered_, {}, &Delivered::peer)) {
    std::ranges::stable_sort(delivered_, {}, &Delivered::peer);
  }
  for (auto next = delivered_.begin(); next != delivered_.end();) {
    const PeerIndex peer = next->peer;
    side(peer).carried = true;
    auto & plaintext = side(peer).plaintext;
    for (; next != delivered_.end() && next->peer == peer; ++next) {
      if (to_plaintext_.full()) [[unlikely]] {
        flush(*plaintext);
      }
      if (!plaintext || !plaintext->add(next->datagram, to_plaintext_)) [[unlikely]] {
        tunnel_.count_drop(peer, Drop::queue_full);
      }
    }
    if (!to_plaintext_.empty()) {
      flush(*plaintext);
    }
    note_work(peer);
  }
  delivered_.clear();
}

[[gnu::hot]] void PacketLoop::flush(PlaintextSide & plaintext)
{
  plaintext.flush(to_plaintext_, [this, &plaintext](bool oversize) {
    tunnel_.count_drop(plaintext.peer(), oversize ? Drop::oversize : Drop::queue_full);
  });
}

[[gnu::hot]] void PacketLoop::flush(Link & link)
{
  link.flush([this](std::size_t peer, bool oversize) {
    tunnel_.count_drop(static_cast<PeerIndex>(peer), oversize ? Drop::oversize : Drop::queue_full);
  });
}

// --- Thin and serial links ---

// Lets the poller report a device as writable only while bytes wait for it.
[[gnu::hot]] void PacketLoop::watch_line(std::size_t index)
{
  Link & link = links_[index];
  if (!link.is_serial() || !link.line().is_open()) [[likely]] {
    return;
  }
  const bool writing = link.line().wants_write();
  if (writing != link_sides_[index].writing) {
    link_sides_[index].writing = writing;
    poller_.modify(link.line().fd(), {Source::link, index}, writing ? EPOLLIN | EPOLLOUT : EPOLLIN);
  }
}

void PacketLoop::handle_closed(std::size_t index, Instant now)
{
  link_sides_[index].open = false;
  tunnel_.handle_change(LinkChange{static_cast<std::uint8_t>(index), LinkState::down}, now);
  links_[index].handle_closed(now);
}

// Opens and closes links whose devices and interfaces come and go.
void PacketLoop::look_after_links(Instant now)
{
  for (std::size_t index = 0; index < links_.size(); ++index) {
    Link & link = links_[index];
    if (link_sides_[index].open && link.is_closed()) {
      handle_closed(index, now);
    }
    link.look(now, network_.fd() >= 0);
    if (link_sides_[index].open && link.is_closed()) {
      handle_closed(index, now);
    } else if (!link_sides_[index].open && !link.is_closed()) {
      link_sides_[index].open = true;
      link_sides_[index].writing = false;
      const int fd = link.is_serial() ? link.line().fd() : link.socket().fd.get();
      poller_.add(fd, {Source::link, index}, EPOLLIN);
      tunnel_.handle_change(LinkChange{static_cast<std::uint8_t>(index), LinkState::up}, now);
    }
  }
  carry_out_outputs(now);
}

}  // namespace pqc_tunnel
