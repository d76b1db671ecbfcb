// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__ENGINE__PLAINTEXT_SIDE_HPP_
#define PQC_TUNNEL__ENGINE__PLAINTEXT_SIDE_HPP_

#include <memory>
#include <optional>
#include <string_view>

#include "config/engine_config.hpp"
#include "paths/mavlink_filter.hpp"
#include "paths/mavlink_statustext.hpp"
#include "pqc_tunnel/base/ids.hpp"
#include "pqc_tunnel/net/datagram_batch.hpp"
#include "pqc_tunnel/net/sockets.hpp"

namespace pqc_tunnel
{

// The local, readable side of one peer: where its datagrams come from and go to, and the optional
// mirror of both.
class PlaintextSide
{
public:
  // Resolves and binds; an error is one sentence.
  static Result<PlaintextSide> open(
    PeerIndex peer, const PlaintextConfig & config, std::size_t receive_buffer_bytes);

  PeerIndex peer() const { return peer_; }
  const Socket & socket() const { return socket_; }

  // Receives the datagrams of the local application. Those to be dropped apart (is_foreign, too late), copy them to the
  // mirror before they are sealed in place.
  std::size_t receive(ReceiveBatch & batch, Instant now);
  // The sender is not the configured application.
  bool is_foreign(const sockaddr_storage & source) const
  {
    return !learns_ && to_endpoint(source) != application_;
  }
  void mirror(ByteView datagram);
  void flush_mirror();

  // Queues a datagram for the local application. False if its address is not known.
  bool add(ByteView datagram);
  // Shows a line of text in the local application, as if the vehicle had sent it; lost until one was heard.
  void show(MavlinkSeverity severity, std::string_view text);
  bool has_queued() const { return !out_->empty(); }
  bool is_full() const { return out_->full(); }
  // Calls refused(oversize) for each datagram that the socket did not accept.
  template <class Refused>
  void flush(Refused && refused)
  {
    copy_to_mirror(*out_);
    out_->flush(socket_.fd.get(), [&refused](std::size_t, bool oversize) { refused(oversize); });
  }

private:
  void copy_to_mirror(SendBatch & batch);

  PeerIndex peer_{};
  Socket socket_;
  bool learns_ = false;        // the application is the latest sender
  Endpoint application_;       // family none: unknown
  std::uint8_t system_ = 0;    // of the vehicle behind the tunnel; 0: not heard yet
  std::uint8_t sequence_ = 0;  // of our own frames
  Socket mirror_;
  Endpoint mirror_endpoint_;
  SocketAddress mirror_address_ = {};
  MavlinkFilter mirror_filter_;
  std::unique_ptr<SendBatch> out_ = std::make_unique<SendBatch>();
  std::unique_ptr<SendBatch> mirror_out_;  // of both directions; null without a mirror
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__PLAINTEXT_SIDE_HPP_
