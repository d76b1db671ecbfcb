// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "peer_sockets.hpp"

#include <algorithm>
#include <utility>

namespace pqc_tunnel
{

std::optional<int> PeerSockets::use(
  std::size_t peer, const Endpoint & remote, const Socket & first, const std::string & interface,
  bool changed)
{
  if (has(peer)) {
    One & one = *sockets_[peer];
    if (one.remote == remote && !changed) {
      return std::nullopt;
    }
    if (connect_again(one.socket, remote)) {
      one.remote = remote;
    } else {
      sockets_[peer].reset();
    }
    return std::nullopt;
  }
  auto opened = open_connected(first, remote, interface);
  if (!opened) {
    return std::nullopt;
  }
  forbid_fragmentation(*opened);
  sockets_.resize(std::max(sockets_.size(), peer + 1));
  sockets_[peer] = std::make_unique<One>();
  sockets_[peer]->socket = std::move(*opened);
  sockets_[peer]->remote = remote;
  return fd(peer);
}

[[gnu::hot]] std::optional<bool> PeerSockets::add(
  ByteView frame, const Endpoint & to, std::size_t peer)
{
  if (!has(peer) || sockets_[peer]->remote != to) {
    return std::nullopt;
  }
  SendBatch & out = sockets_[peer]->out;
  if (out.empty()) {
    filled_.push_back(peer);
  }
  return out.add(frame, peer);
}

}  // namespace pqc_tunnel
