// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "plaintext_side.hpp"

#include "pqc_tunnel/net/address.hpp"

namespace pqc_tunnel
{

Result<PlaintextSide> PlaintextSide::open(
  PeerIndex peer, const PlaintextConfig & config, std::size_t receive_buffer_bytes)
{
  const std::string of_drone = config.name.empty() ? "" : " of drone " + config.name;
  PlaintextSide side;
  side.peer_ = peer;
  auto socket =
    open_datagram_socket(config.bind, receive_buffer_bytes, "the plaintext side" + of_drone);
  if (!socket) {
    return tl::make_unexpected(socket.error());
  }
  side.socket_ = std::move(*socket);
  side.learns_ = config.peer.port == 0;
  if (!side.learns_) {
    const auto application = resolve(config.peer);
    if (!application) {
      return fail(
        ErrorCode::unavailable,
        "The plaintext peer" + of_drone + " can't be reached: " + application.error().message);
    }
    const auto reachable = reachable_from(*application, side.socket_.family);
    if (reachable.empty()) {
      return fail(
        ErrorCode::invalid_argument,
        "The plaintext peer" + of_drone +
          " can't be reached: plaintext_bind_address and plaintext_peer_address are of different "
          "kinds (IPv4 and IPv6).");
    }
    side.application_ = reachable.front();
  }
  if (config.mirror.port != 0) {
    const auto to = resolve(config.mirror);
    if (!to) {
      return fail(
        ErrorCode::unavailable,
        "The mirror" + of_drone + " can't be reached: " + to.error().message);
    }
    auto sender = open_sender(to->front());
    if (!sender) {
      return tl::make_unexpected(sender.error());
    }
    side.mirror_ = std::move(*sender);
    side.mirror_endpoint_ = to->front();
    side.mirror_address_ = to_socket_address(side.mirror_endpoint_, side.mirror_.family);
    side.mirror_filter_ = MavlinkFilter(config.mirror_messages);
    side.mirror_out_ = std::make_unique<SendBatch>();
  }
  return side;
}

std::size_t PlaintextSide::receive(ReceiveBatch & batch, Instant now)
{
  const std::size_t received = batch.receive(socket_.fd.get(), now);
  if (received > 0 && learns_) {
    application_ = to_endpoint(batch.source(received - 1));
  }
  return received;
}

void PlaintextSide::mirror(ByteView datagram)
{
  if (!mirror_out_) {
    return;
  }
  mirror_filter_.pick(datagram, [this](ByteView frame) {
    if (mirror_out_->full()) {
      flush_mirror();
    }
    mirror_out_->add(frame, mirror_endpoint_, mirror_.family);
  });
}

void PlaintextSide::flush_mirror()
{
  if (mirror_out_) {
    mirror_out_->flush(mirror_.fd.get(), [](std::size_t, bool) {});
  }
}

bool PlaintextSide::add(ByteView datagram)
{
  if (!out_->add(datagram, application_, socket_.family)) {
    return false;
  }
  if (system_ == 0) {
    system_ = mavlink_system(datagram);
  }
  if (!mirror_filter_.passes_all()) {
    mirror(datagram);
  }
  return true;
}

void PlaintextSide::show(MavlinkSeverity severity, std::string_view text)
{
  if (system_ == 0) {
    return;
  }
  const Bytes frame = mavlink_statustext(system_, sequence_++, severity, text);
  SendBatch batch;
  if (batch.add(frame, application_, socket_.family)) {
    batch.flush(socket_.fd.get(), [](std::size_t, bool) {});
  }
}

void PlaintextSide::copy_to_mirror(SendBatch & batch)
{
  if (!mirror_out_) {
    return;
  }
  if (!mirror_filter_.passes_all()) {
    flush_mirror();
  } else {
    batch.copy_to(mirror_.fd.get(), mirror_address_);
  }
}

}  // namespace pqc_tunnel
