// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// The way of a datagram: plaintext socket -> Tunnel::seal -> link, and link -> Tunnel::open ->
// plaintext socket.

#include <algorithm>
#include <array>

#include "packet_loop.hpp"

namespace pqc_tunnel
{

void PacketLoop::seal_from(PlaintextSide & side)
{
  const PeerIndex peer = side.peer();
  const std::size_t received = side.receive(from_plaintext_);
  const Instant now = monotonic_now();
  const Endpoint & to = tunnel_.destination(peer);
  std::array<bool, batch_size> kept = {};
  for (std::size_t i = 0; i < received; ++i) {
    const bool foreign = side.is_foreign(from_plaintext_.source(i));
    kept[i] = !foreign && from_plaintext_.waited(i) <= config_.settings.max_lateness;
    if (!kept[i]) {
      tunnel_.count_drop(peer, foreign ? Drop::foreign : Drop::stale);
    } else if (!from_plaintext_.truncated(i)) {
      side.mirror(from_plaintext_.datagram(i));
    }
  }
  side.flush_mirror();
  for (std::size_t i = 0; i < received; ++i) {
    const MutableBytes frame = from_plaintext_.framed(i);  // one too long is refused by its size
    if (!kept[i] || !tunnel_.seal(peer, frame, now)) {
      continue;
    }
    if (!to_link_.add(frame, to, link_.family, static_cast<std::size_t>(peer))) {
      tunnel_.count_drop(peer, Drop::queue_full);
    }
  }
  flush_link();
}

void PacketLoop::open_from_link()
{
  const std::size_t received = from_link_.receive(link_.fd.get());
  const Instant now = monotonic_now();
  hellos_.clear();
  for (std::size_t i = 0; i < received; ++i) {
    if (is_hello(from_link_.datagram(i))) {
      hellos_.push_back(i);
    } else {
      open_one(i, now);
    }
  }
  flush_plaintexts();
  if (!hellos_.empty()) {
    handle_hellos(now);
  }
}

void PacketLoop::open_one(std::size_t index, Instant now)
{
  const MutableBytes datagram = from_link_.datagram(index);
  if (datagram.empty()) {
    return;  // a probe
  }
  if (from_link_.waited(index) > config_.settings.max_lateness) {
    tunnel_.count_stale(datagram);
    return;
  }
  const Opened opened = tunnel_.open(datagram, to_endpoint(from_link_.source(index)), now);
  if (opened.forward) {
    forward(opened);
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
    return;
  }
  MutableBytes rest = opened.plaintext;
  while (const auto datagram = take_from_bundle(rest)) {
    if (side.is_full()) {
      flush_plaintexts();
    }
    add(*datagram);
  }
}

// After the sealed datagrams, and in a share of the time: each costs a MAC, whoever sent it.
void PacketLoop::handle_hellos(Instant now)
{
  const auto is_live = [this](std::size_t index) {
    const Endpoint from = to_endpoint(from_link_.source(index));
    for (std::size_t peer = 0; peer < tunnel_.peer_count(); ++peer) {
      if (tunnel_.destination(PeerIndex{static_cast<std::uint32_t>(peer)}) == from) {
        return true;
      }
    }
    return false;
  };
  if (hellos_.size() > 1) {
    std::stable_partition(hellos_.begin(), hellos_.end(), is_live);
  }
  Instant begun = now;
  for (const std::size_t index : hellos_) {
    if (!hello_budget_.allows(begun)) {
      ++hellos_discarded_;
      continue;
    }
    tunnel_.handle_hello(from_link_.datagram(index), to_endpoint(from_link_.source(index)), now);
    const Instant done = monotonic_now();
    hello_budget_.spend(done - begun);
    begun = done;
    carry_out_outputs();
  }
}

void PacketLoop::flush_plaintexts()
{
  for (PlaintextSide & side : plaintexts_) {
    if (side.has_queued()) {
      side.flush([this, &side](bool oversize) {
        tunnel_.count_drop(side.peer(), oversize ? Drop::oversize : Drop::queue_full);
      });
    }
  }
}

void PacketLoop::flush_link()
{
  to_link_.flush(link_.fd.get(), [this](std::size_t peer, bool oversize) {
    tunnel_.count_drop(static_cast<PeerIndex>(peer), oversize ? Drop::oversize : Drop::queue_full);
  });
}

}  // namespace pqc_tunnel
