// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__IO__SOCKET_ADDRESS_HPP_
#define PQC_TUNNEL__IO__SOCKET_ADDRESS_HPP_

#include <sys/socket.h>

#include <vector>

#include "pqc_tunnel/core/endpoint.hpp"
#include "pqc_tunnel/core/result.hpp"

namespace pqc_tunnel
{

struct SocketAddress
{
  sockaddr_storage storage;
  socklen_t length;

  sockaddr * data() { return reinterpret_cast<sockaddr *>(&storage); }
  const sockaddr * data() const { return reinterpret_cast<const sockaddr *>(&storage); }
};

// For a socket of `socket_family` (AF_INET or AF_INET6): IPv4 goes through an IPv6 socket as a
// mapped address. Length 0 if the socket can't reach such an address at all.
SocketAddress to_socket_address(const Endpoint & endpoint, int socket_family);

// Those of a host's addresses that a socket of `socket_family` can reach; `unavailable` if there are none.
Result<std::vector<Endpoint>> reachable_from(std::vector<Endpoint> endpoints, int socket_family);

// Mapped IPv4 addresses come back as IPv4; anything but IP as family none.
Endpoint to_endpoint(const sockaddr_storage & address);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__IO__SOCKET_ADDRESS_HPP_
