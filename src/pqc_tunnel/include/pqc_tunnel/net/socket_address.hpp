// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NET__SOCKET_ADDRESS_HPP_
#define PQC_TUNNEL__NET__SOCKET_ADDRESS_HPP_

#include <sys/socket.h>

#include <vector>

#include "pqc_tunnel/base/endpoint.hpp"

namespace pqc_tunnel
{

struct SocketAddress
{
  sockaddr_storage storage;
  socklen_t length;

  sockaddr * data() { return reinterpret_cast<sockaddr *>(&storage); }
  const sockaddr * data() const { return reinterpret_cast<const sockaddr *>(&storage); }
};

// The kinds of addresses that a socket reaches. A socket for both is one for IPv6 that takes IPv4 along,
// as mapped addresses.
enum class SocketFamily
{
  ipv4,
  ipv6,
  both,
};

// AF_INET or AF_INET6.
int domain_of(SocketFamily family);
SocketFamily family_of(const Endpoint & endpoint);

bool reaches(SocketFamily family, const Endpoint & endpoint);

// Length 0 if a socket of that family can't reach the endpoint.
SocketAddress to_socket_address(const Endpoint & endpoint, SocketFamily family);

// Those of a host's addresses that a socket of that family can reach.
std::vector<Endpoint> reachable_from(std::vector<Endpoint> endpoints, SocketFamily family);

// Mapped IPv4 addresses come back as IPv4; anything but IP as family none.
Endpoint to_endpoint(const sockaddr_storage & address);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NET__SOCKET_ADDRESS_HPP_
