// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__ENGINE__SOCKETS__PEER_SOCKETS_HPP_
#define PQC_TUNNEL__ENGINE__SOCKETS__PEER_SOCKETS_HPP_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/datagram_batch.hpp"
#include "net/sockets.hpp"

namespace pqc_tunnel
{

// Sockets of a link that are connected to the addresses of its peers. The link's own socket serves every other address.
class PeerSockets
{
public:
  // Connects the socket of a peer to its address; see ConnectedSocket. Returns the descriptor of a new socket.
  std::optional<int> use(
    std::size_t peer, const Endpoint & remote, const Socket & first, const std::string & interface,
    bool changed);
  // Sends to the peer from the link's socket again. The peer's socket goes on receiving.
  void leave(std::size_t peer)
  {
    if (has(peer)) {
      sockets_[peer]->socket.leave();
    }
  }
  void close() { sockets_.clear(); }

  // Queues a frame; nullopt: no socket is connected to `to`.
  std::optional<bool> add(ByteView frame, const Endpoint & to, std::size_t peer);
  int fd(std::size_t peer) const { return has(peer) ? sockets_[peer]->socket.fd() : -1; }

  // Sends what is queued, as SendBatch::flush() does, and calls sent(refusal) for each socket.
  template <class Refused, class Sent>
  void flush(Refused && refused, Sent && sent)
  {
    for (const std::size_t peer : filled_) {
      One & one = *sockets_[peer];
      one.out.flush(one.socket.fd(), refused);
      sent(one.out.refusal());
    }
    filled_.clear();
  }

private:
  struct One
  {
    ConnectedSocket socket;
    SendBatch out;
  };
  bool has(std::size_t peer) const { return peer < sockets_.size() && sockets_[peer]; }

  std::vector<std::unique_ptr<One>> sockets_;  // by peer
  std::vector<std::size_t> filled_;            // peers for whom something is queued
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__SOCKETS__PEER_SOCKETS_HPP_
