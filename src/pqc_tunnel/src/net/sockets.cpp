// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "pqc_tunnel/net/sockets.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "address_scope.hpp"
#include "pqc_tunnel/net/address.hpp"
#include "pqc_tunnel/net/socket_address.hpp"

namespace pqc_tunnel
{

namespace
{

constexpr int listen_backlog = 64;

void set_option(int fd, int level, int name, int value)
{
  ::setsockopt(fd, level, name, &value, sizeof(value));
}

FileDescriptor open_socket(SocketFamily family, int type)
{
  return FileDescriptor(::socket(domain_of(family), type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

Endpoint own_endpoint(int fd)
{
  sockaddr_storage address{};
  socklen_t length = sizeof(address);
  ::getsockname(fd, reinterpret_cast<sockaddr *>(&address), &length);
  return to_endpoint(address);
}

// The address to bind: without a host, IPv6 with mapped IPv4.
Result<Endpoint> bind_endpoint(const HostPort & where)
{
  if (!where.host.empty()) {
    auto endpoints = resolve(where);
    if (!endpoints) {
      return tl::make_unexpected(endpoints.error());
    }
    return endpoints->front();
  }
  Endpoint any;
  any.port = where.port;
  any.family =
    open_socket(SocketFamily::ipv6, SOCK_DGRAM) ? AddressFamily::ipv6 : AddressFamily::ipv4;
  return any;
}

Result<Socket> open_bound(const HostPort & where, int type, const std::string & purpose)
{
  auto endpoint = bind_endpoint(where);
  if (!endpoint) {
    return fail(
      ErrorCode::unavailable,
      "The address of " + purpose + " is no use: " + endpoint.error().message);
  }
  Socket socket;
  socket.family = family_of(*endpoint);
  socket.fd = open_socket(socket.family, type);
  if (!socket.fd) {
    return fail(
      ErrorCode::unavailable,
      "A socket for " + purpose + " can't be made: " + error_text(errno) + ".");
  }
  if (socket.family == SocketFamily::ipv6) {
    const bool both = where.host.empty();
    set_option(socket.fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, both ? 0 : 1);
    socket.family = both ? SocketFamily::both : SocketFamily::ipv6;
  }
  if (type == SOCK_STREAM) {
    set_option(
      socket.fd.get(), SOL_SOCKET, SO_REUSEADDR, 1);  // a restart may find the port in TIME_WAIT
  }
  const SocketAddress address = to_socket_address(*endpoint, socket.family);
  if (
    ::bind(socket.fd.get(), address.data(), address.length) != 0 ||
    (type == SOCK_STREAM && ::listen(socket.fd.get(), listen_backlog) != 0))
  {
    const int error = errno;
    const std::string protocol = type == SOCK_STREAM ? "TCP" : "UDP";
    const std::string shown =
      where.host.empty() ? "port " + std::to_string(where.port) : to_string(*endpoint);
    if (error == EADDRINUSE) {
      return fail(
        ErrorCode::unavailable,
        protocol + " " + shown + " for " + purpose + " is in use by another program.");
    }
    return fail(
      ErrorCode::unavailable,
      protocol + " " + shown + " for " + purpose + " can't be bound: " + error_text(error) + ".");
  }
  socket.port = own_endpoint(socket.fd.get()).port;
  return socket;
}

}  // namespace

std::string error_text(int error) { return std::generic_category().message(error); }

Result<Socket> open_datagram_socket(
  const HostPort & where, std::size_t receive_buffer_bytes, const std::string & purpose)
{
  auto socket = open_bound(where, SOCK_DGRAM, purpose);
  if (socket) {
    const int size = static_cast<int>(receive_buffer_bytes);
    set_option(socket->fd.get(), SOL_SOCKET, SO_RCVBUF, size);
    set_option(socket->fd.get(), SOL_SOCKET, SO_RCVBUFFORCE, size);  // beyond rmem_max, if allowed
  }
  return socket;
}

Result<Socket> open_listener(const HostPort & where, const std::string & purpose)
{
  return open_bound(where, SOCK_STREAM, purpose);
}

Result<Socket> open_sender(const Endpoint & to)
{
  Socket socket;
  socket.family = family_of(to);
  socket.fd = open_socket(socket.family, SOCK_DGRAM);
  if (!socket.fd) {
    return fail(ErrorCode::unavailable, "A socket can't be made: " + error_text(errno) + ".");
  }
  if (is_loopback(to)) {
    // Without this the first datagram binds it to every address, reachable from the network.
    Endpoint from = to;
    from.port = 0;
    const SocketAddress address = to_socket_address(from, socket.family);
    if (::bind(socket.fd.get(), address.data(), address.length) != 0) {
      return fail(
        ErrorCode::unavailable,
        "A socket can't be bound to " + to_string(from) + ": " + error_text(errno) + ".");
    }
  }
  return socket;
}

void forbid_fragmentation(const Socket & socket)
{
  // PROBE rather than DO: a forged "fragmentation needed" must not lower the size limit.
  set_option(socket.fd.get(), IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE);
  if (socket.family != SocketFamily::ipv4) {
    set_option(socket.fd.get(), IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_PROBE);
    set_option(socket.fd.get(), IPPROTO_IPV6, IPV6_DONTFRAG, 1);
  }
}

Endpoint bound_address(int fd)
{
  Endpoint endpoint = own_endpoint(fd);
  endpoint.port = 0;
  const bool any = std::ranges::all_of(endpoint.address, [](auto byte) { return byte == 0; });
  return any ? Endpoint{} : endpoint;
}

FileDescriptor begin_connect(const Endpoint & to, const Endpoint & from)
{
  const SocketFamily family = family_of(to);
  FileDescriptor fd = open_socket(family, SOCK_STREAM);
  if (!fd) {
    return fd;
  }
  set_option(fd.get(), IPPROTO_TCP, TCP_NODELAY, 1);
  const SocketAddress address = to_socket_address(to, family);
  const SocketAddress source = to_socket_address(from, family);
  const bool has_source = source.length == 0 || ::bind(fd.get(), source.data(), source.length) == 0;
  if (
    !has_source ||
    (::connect(fd.get(), address.data(), address.length) != 0 && errno != EINPROGRESS))
  {
    const int error = errno;
    fd.reset();
    errno = error;
  }
  return fd;
}

}  // namespace pqc_tunnel
