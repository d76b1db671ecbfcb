// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NET__SOCKET_ADDRESS_HPP_
#define PQC_TUNNEL__NET__SOCKET_ADDRESS_HPP_

#include <sys/socket.h>

#include <vector>

#include "base/endpoint.hpp"

namespace pqc_tunnel
{

/// An address in the form that system calls take.
struct SocketAddress
{
  sockaddr_storage storage;
  socklen_t length;

  sockaddr * data() { return reinterpret_cast<sockaddr *>(&storage); }
  const sockaddr * data() const { return reinterpret_cast<const sockaddr *>(&storage); }
};

/// The address families that a socket reaches. A socket for both is an IPv6 socket that reaches IPv4 with
/// mapped addresses.
enum class SocketFamily
{
  ipv4,
  ipv6,
  both,
};

/// Returns AF_INET or AF_INET6, for socket().
int domain_of(SocketFamily family);
/// Returns the family of a socket that reaches the endpoint.
SocketFamily family_of(const Endpoint & endpoint);

/// Returns true if a socket of that family reaches the endpoint.
bool reaches(SocketFamily family, const Endpoint & endpoint);

/// Converts an endpoint. The length is 0 if a socket of that family does not reach it.
SocketAddress to_socket_address(const Endpoint & endpoint, SocketFamily family);

/// Returns the endpoints that a socket of that family reaches, in their order.
std::vector<Endpoint> reachable_from(std::vector<Endpoint> endpoints, SocketFamily family);

/// Converts an address. Mapped IPv4 addresses become IPv4; other families become AddressFamily::none.
Endpoint to_endpoint(const sockaddr_storage & address);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NET__SOCKET_ADDRESS_HPP_
