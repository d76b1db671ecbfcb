// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "peer_sockets.hpp"

#include <algorithm>
#include <memory>

namespace pqc_tunnel
{

std::optional<int> PeerSockets::use(
  std::size_t peer, const Endpoint & remote, const Socket & first, const std::string & interface,
  bool changed)
{
  if (!has(peer)) {
    sockets_.resize(std::max(sockets_.size(), peer + 1));
    sockets_[peer] = std::make_unique<One>();
  }
  ConnectedSocket & socket = sockets_[peer]->socket;
  if (!socket.use(remote, first, interface, changed)) {
    return std::nullopt;
  }
  forbid_fragmentation(socket.socket());
  return socket.fd();
}

[[gnu::hot]] std::optional<bool> PeerSockets::add(
  ByteView frame, const Endpoint & to, std::size_t peer)
{
  if (!has(peer) || !sockets_[peer]->socket.reaches(to)) {
    return std::nullopt;
  }
  SendBatch & out = sockets_[peer]->out;
  if (out.empty()) {
    filled_.push_back(peer);
  }
  return out.add(frame, peer);
}

}  // namespace pqc_tunnel
