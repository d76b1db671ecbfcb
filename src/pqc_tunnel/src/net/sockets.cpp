// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "sockets.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "address.hpp"
#include "address_scope.hpp"
#include "socket_address.hpp"

namespace pqc_tunnel
{

namespace
{

void set_option(int fd, int level, int name, int value)
{
  ::setsockopt(fd, level, name, &value, sizeof(value));
}

FileDescriptor open_socket(SocketFamily family)
{
  return FileDescriptor(::socket(domain_of(family), SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

Endpoint own_endpoint(int fd)
{
  sockaddr_storage address{};
  socklen_t length = sizeof(address);
  ::getsockname(fd, reinterpret_cast<sockaddr *>(&address), &length);
  return to_endpoint(address);
}

// Returns the address to bind: without a host, IPv6 with mapped IPv4.
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
  any.family = open_socket(SocketFamily::ipv6) ? AddressFamily::ipv6 : AddressFamily::ipv4;
  return any;
}

Result<Socket> open_bound(const HostPort & where, const std::string & purpose)
{
  auto endpoint = bind_endpoint(where);
  if (!endpoint) {
    return fail(
      ErrorCode::unavailable,
      "The address of " + purpose + " is no use: " + endpoint.error().message);
  }
  Socket socket;
  socket.family = family_of(*endpoint);
  socket.fd = open_socket(socket.family);
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
  const SocketAddress address = to_socket_address(*endpoint, socket.family);
  if (::bind(socket.fd.get(), address.data(), address.length) != 0) {
    const int error = errno;
    const std::string shown =
      where.host.empty() ? "port " + std::to_string(where.port) : to_string(*endpoint);
    if (error == EADDRINUSE) {
      return fail(
        ErrorCode::unavailable,
        "UDP " + shown + " for " + purpose + " is in use by another program.");
    }
    return fail(
      ErrorCode::unavailable,
      "UDP " + shown + " for " + purpose + " can't be bound: " + error_text(error) + ".");
  }
  socket.port = own_endpoint(socket.fd.get()).port;
  return socket;
}

void prepare_to_receive(const Socket & socket, std::size_t buffer_bytes)
{
  const int fd = socket.fd.get();
  const int size = static_cast<int>(buffer_bytes);
  set_option(fd, SOL_SOCKET, SO_RCVBUF, size);
  set_option(fd, SOL_SOCKET, SO_RCVBUFFORCE, size);  // beyond rmem_max, if allowed
  set_option(fd, SOL_SOCKET, SO_TIMESTAMPNS, 1);
}

bool connect(const Socket & socket, const Endpoint & remote)
{
  const sockaddr nobody{AF_UNSPEC, {}};  // forgets the own address, too
  const SocketAddress address = to_socket_address(remote, socket.family);
  return ::connect(socket.fd.get(), &nobody, sizeof(nobody)) == 0 &&
         ::connect(socket.fd.get(), address.data(), address.length) == 0;
}

// Returns a socket without descriptor if that can't be.
Socket open_connected(const Socket & first, const Endpoint & remote, const std::string & interface)
{
  Socket socket{open_socket(first.family), first.family, first.port};
  const int fd = socket.fd.get();
  if (first.family != SocketFamily::ipv4) {
    set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, first.family == SocketFamily::both ? 0 : 1);
  }
  if (!interface.empty() && !bind_to_interface(socket, interface)) {
    return {};
  }
  sockaddr_storage own{};
  socklen_t length = sizeof(own);
  ::getsockname(first.fd.get(), reinterpret_cast<sockaddr *>(&own), &length);
  // The first socket shares the port for this moment only, so that it stays in use for all other programs. The connected
  // ones go on sharing it, with each other.
  set_option(first.fd.get(), SOL_SOCKET, SO_REUSEPORT, 1);
  set_option(fd, SOL_SOCKET, SO_REUSEPORT, 1);
  const bool connected =
    ::bind(fd, reinterpret_cast<const sockaddr *>(&own), length) == 0 && connect(socket, remote);
  set_option(first.fd.get(), SOL_SOCKET, SO_REUSEPORT, 0);
  if (!connected) {
    return {};
  }
  prepare_to_receive(socket, usual_receive_buffer);
  return socket;
}

}  // namespace

std::string error_text(int error) { return std::generic_category().message(error); }

Result<Socket> open_datagram_socket(
  const HostPort & where, std::size_t receive_buffer_bytes, const std::string & purpose)
{
  auto socket = open_bound(where, purpose);
  if (socket) {
    prepare_to_receive(*socket, receive_buffer_bytes);
  }
  return socket;
}

bool ConnectedSocket::use(
  const Endpoint & to, const Socket & first, const std::string & interface, bool changed)
{
  if (to.family == AddressFamily::none) {
    *this = {};
    return false;
  }
  if (reaches(to) && !changed) {
    return false;
  }
  if (is_open() && connect(socket_, to)) {
    to_ = to;
    return false;
  }
  socket_ = open_connected(first, to, interface);
  to_ = is_open() ? to : Endpoint{};
  return is_open();
}

Result<Socket> open_sender(const Endpoint & to)
{
  Socket socket;
  socket.family = family_of(to);
  socket.fd = open_socket(socket.family);
  if (!socket.fd) {
    return fail(ErrorCode::unavailable, "A socket can't be made: " + error_text(errno) + ".");
  }
  if (is_loopback(to)) {
    // Otherwise the first datagram binds it to every address, reachable from the network.
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

Result<void> bind_to_interface(const Socket & socket, const std::string & interface)
{
  if (
    setsockopt(
      socket.fd.get(), SOL_SOCKET, SO_BINDTODEVICE, interface.data(),
      static_cast<socklen_t>(interface.size())) == 0)
  {
    return {};
  }
  return fail(
    ErrorCode::unavailable,
    "The network interface " + interface + " can't be used: " + error_text(errno) + ".");
}

void allow_broadcast(const Socket & socket)
{
  set_option(socket.fd.get(), SOL_SOCKET, SO_BROADCAST, 1);
}

void forbid_fragmentation(const Socket & socket)
{
  // PROBE is used rather than DO, because a forged "fragmentation needed" must not lower the size limit.
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

}  // namespace pqc_tunnel
