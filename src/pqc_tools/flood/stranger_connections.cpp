// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "stranger_connections.hpp"

#include <sys/socket.h>

#include <cerrno>

#include "pqc_tunnel/crypto/random.hpp"
#include "pqc_tunnel/net/socket_address.hpp"
#include "pqc_tunnel/protocol/handshake_messages.hpp"

namespace pqc_tunnel::blaster
{

namespace
{

// Longer than the deadline for a hello.
constexpr Duration patience = 4 * hello_deadline;

Bytes random_bytes(std::size_t size)
{
  Bytes bytes(size);
  SystemRandom random;
  random.fill(bytes);
  return bytes;
}

// Every field is valid, except the drone and the MAC.
Bytes hello_of_stranger(const Suite & suite)
{
  SystemRandom random;
  ClientHello hello;
  random.fill(hello.drone_id.bytes);
  random.fill(hello.client_random);
  hello.suite = suite.wire_id;
  Bytes body = encode(hello);
  const Bytes mac = random_bytes(mac_size);
  body.insert(body.end(), mac.begin(), mac.end());
  return with_length(body);
}

Bytes garbage_hello() { return with_length(random_bytes(client_hello_size)); }

Endpoint plus(Endpoint endpoint, std::uint32_t steps)
{
  const std::size_t last = endpoint.family == AddressFamily::ipv4 ? 3 : 15;
  for (std::size_t i = last + 1; i-- > 0 && steps > 0;) {
    steps += endpoint.address[i];
    endpoint.address[i] = static_cast<std::uint8_t>(steps & 0xff);
    steps >>= 8;
  }
  return endpoint;
}

}  // namespace

StrangerConnections::StrangerConnections(
  Poller & poller, const Endpoint & to, const Endpoint & first_source, std::uint32_t sources,
  const Suite & suite)
: poller_(poller),
  to_(to),
  first_source_(first_source),
  sources_(sources),
  hello_(hello_of_stranger(suite)),
  garbage_(garbage_hello())
{
}

FileDescriptor StrangerConnections::connect()
{
  const SocketFamily family = family_of(to_);
  FileDescriptor fd(::socket(domain_of(family), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) {
    return fd;
  }
  // Reset rather than TIME_WAIT: there are thousands.
  const linger abort{1, 0};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &abort, sizeof(abort));
  if (first_source_.family != AddressFamily::none) {
    const auto source = plus(first_source_, static_cast<std::uint32_t>(next_ % sources_));
    const SocketAddress own = to_socket_address(source, family);
    if (::bind(fd.get(), own.data(), own.length) != 0) {
      fd.reset();
      return fd;
    }
  }
  const SocketAddress address = to_socket_address(to_, family);
  if (::connect(fd.get(), address.data(), address.length) != 0 && errno != EINPROGRESS) {
    fd.reset();
  }
  return fd;
}

void StrangerConnections::open(Instant now)
{
  const auto kind = static_cast<StrangerKind>(next_ % stranger_names.size());
  ++counts_.opened[static_cast<std::size_t>(kind)];
  FileDescriptor fd = connect();
  const std::uint64_t number = next_++;
  if (!fd) {
    ++counts_.failed;
    return;
  }
  poller_.add(fd.get(), {Source::connection, number}, EPOLLOUT);
  strangers_.emplace(number, Stranger{std::move(fd), kind, now});
}

void StrangerConnections::handle_ready(std::uint64_t number, std::uint32_t events)
{
  const auto found = strangers_.find(number);
  if (found == strangers_.end()) {
    return;
  }
  Stranger & stranger = found->second;
  if (!stranger.connected) {
    int error = 0;
    socklen_t length = sizeof(error);
    ::getsockopt(stranger.fd.get(), SOL_SOCKET, SO_ERROR, &error, &length);
    // A connection rejected at once may report the reset first.
    if (error != 0 && error != ECONNRESET) {
      close(found, counts_.failed);
      return;
    }
    stranger.connected = true;
    ++counts_.connected;
    if (error == 0 && (events & (EPOLLERR | EPOLLHUP)) == 0) {
      poller_.modify(stranger.fd.get(), {Source::connection, number}, EPOLLIN);
      send_to(stranger);
      return;
    }
    close(found, counts_.closed);
    return;
  }
  std::array<std::uint8_t, 512> buffer{};
  const auto size = ::recv(stranger.fd.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (size > 0) {
    counts_.answered += stranger.answered ? 0U : 1U;
    stranger.answered = true;
  } else if (size == 0 || errno != EAGAIN) {
    close(found, counts_.closed);
  }
}

void StrangerConnections::send_to(const Stranger & stranger)
{
  ByteView bytes;
  switch (stranger.kind) {
    case StrangerKind::silent:
      return;
    case StrangerKind::half_hello:
      bytes = ByteView(hello_).first(hello_.size() / 2);
      break;
    case StrangerKind::garbage_hello:
      bytes = garbage_;
      break;
    case StrangerKind::wrong_mac:
      bytes = hello_;
      break;
  }
  // Bytes that the socket does not accept now are dropped.
  static_cast<void>(
    ::send(stranger.fd.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL));
}

void StrangerConnections::give_up_old(Instant now)
{
  while (!strangers_.empty() && strangers_.begin()->second.opened + patience < now) {
    close(strangers_.begin(), counts_.left);
  }
}

void StrangerConnections::close(
  std::map<std::uint64_t, Stranger>::iterator stranger, std::uint64_t & counter)
{
  ++counter;
  strangers_.erase(stranger);
}

}  // namespace pqc_tunnel::blaster
