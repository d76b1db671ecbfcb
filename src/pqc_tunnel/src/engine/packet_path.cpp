// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// The way of a datagram: plaintext socket -> Tunnel::seal -> link, and link -> Tunnel::open ->
// plaintext socket.

#include "packet_loop.hpp"

namespace pqc_tunnel
{

void PacketLoop::seal_from(PlaintextSide & side)
{
  const PeerIndex peer = side.peer();
  const std::size_t received = side.receive(from_plaintext_);
  const Instant now = monotonic_now();
  const Endpoint & to = tunnel_.destination(peer);
  for (std::size_t i = 0; i < received; ++i) {
    const MutableBytes frame = from_plaintext_.framed(i);  // one too long is refused by its size
    if (!tunnel_.seal(peer, frame, now)) {
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
  for (std::size_t i = 0; i < received; ++i) {
    const Opened opened =
      tunnel_.open(from_link_.datagram(i), to_endpoint(from_link_.source(i)), now);
    if (!opened.forward) {
      continue;
    }
    PlaintextSide & side = plaintexts_[static_cast<std::size_t>(*opened.peer)];
    if (!side.add(opened.plaintext)) {
      tunnel_.count_drop(*opened.peer, Drop::queue_full);
    }
  }
  flush_plaintexts();
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
