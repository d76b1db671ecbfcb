// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "plain_relay.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <utility>

#include "pqc_tunnel/command_line/json_writer.hpp"
#include "pqc_tunnel/net/address.hpp"
#include "pqc_tunnel/os/clock.hpp"

namespace pqc_tunnel::relay
{

Result<std::unique_ptr<PlainRelay>> PlainRelay::open(RelayOptions options, FileDescriptor signals)
{
  std::unique_ptr<PlainRelay> relay(new PlainRelay(std::move(options), std::move(signals)));
  for (const auto & [index, purpose] : {std::pair{0U, "the application"}, {1U, "the link"}}) {
    if (const auto opened = relay->open_side(index, purpose); !opened) {
      return tl::make_unexpected(opened.error());
    }
  }
  return relay;
}

PlainRelay::PlainRelay(RelayOptions options, FileDescriptor signals)
: options_(std::move(options)), signals_(std::move(signals)), in_(0, options_.max_datagram, 0)
{
  poller_.add(signals_.get(), {Source::wake_up}, EPOLLIN);
}

Result<void> PlainRelay::open_side(std::size_t index, const std::string & purpose)
{
  Side & side = sides_[index];
  auto socket = open_datagram_socket(options_.binds[index], options_.receive_buffer_bytes, purpose);
  if (!socket) {
    return tl::make_unexpected(socket.error());
  }
  side.socket = std::move(*socket);
  const auto peer = resolve(options_.peers[index]);
  if (!peer) {
    return tl::make_unexpected(peer.error());
  }
  side.peer = peer->front();
  poller_.add(side.socket.fd.get(), {Source::plaintext, index}, EPOLLIN);
  return {};
}

void PlainRelay::run()
{
  for (;;) {
    for (const epoll_event & event : poller_.wait(Instant::max())) {
      const ReadyTag tag = ReadyTag::unpack(event.data.u64);
      if (tag.source != Source::plaintext) {
        return;
      }
      Side & from = sides_[tag.number];
      Side & to = sides_[1 - tag.number];
      if (options_.batched) {
        forward_batch(from, to);
      } else {
        forward_one(from, to);
      }
    }
  }
}

void PlainRelay::forward_batch(Side & from, Side & to)
{
  const std::size_t count = in_.receive(from.socket.fd.get(), monotonic_now());
  std::uint64_t refused = 0;
  std::uint64_t too_long = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (in_.truncated(i)) {
      ++too_long;
    } else if (!out_.add(in_.datagram(i), to.peer, to.socket.family)) {
      ++refused;
    }
  }
  out_.flush(to.socket.fd.get(), [&refused](std::size_t, bool) { ++refused; });
  from.forwarded += count - refused - too_long;
  from.refused += refused;
  from.too_long += too_long;
}

void PlainRelay::forward_one(Side & from, Side & to)
{
  std::array<std::uint8_t, std::size_t{1} << 16> datagram;
  const auto size =
    ::recv(from.socket.fd.get(), datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_TRUNC);
  if (size < 0) {
    return;
  }
  if (static_cast<std::size_t>(size) > options_.max_datagram) {
    ++from.too_long;
    return;
  }
  const SocketAddress address = to_socket_address(to.peer, to.socket.family);
  const auto sent = ::sendto(
    to.socket.fd.get(), datagram.data(), static_cast<std::size_t>(size),
    MSG_DONTWAIT | MSG_NOSIGNAL, address.data(), address.length);
  ++(sent == size ? from.forwarded : from.refused);
}

std::string PlainRelay::report() const
{
  auto json = cli::JsonWriter::object();
  json.flag("batched", options_.batched);
  for (const auto & [name, side] :
       {std::pair{"to_link", &sides_[0]}, std::pair{"to_application", &sides_[1]}})
  {
    json.raw(
      name, cli::JsonWriter::object()
              .number("forwarded", side->forwarded)
              .number("refused", side->refused)
              .number("too_long", side->too_long)
              .str());
  }
  return json.str();
}

}  // namespace pqc_tunnel::relay
