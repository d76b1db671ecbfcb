// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NET__SOCKETS_HPP_
#define PQC_TUNNEL__NET__SOCKETS_HPP_

#include <string>

#include "pqc_tunnel/base/endpoint.hpp"
#include "pqc_tunnel/base/result.hpp"
#include "pqc_tunnel/net/host_port.hpp"
#include "pqc_tunnel/net/socket_address.hpp"
#include "pqc_tunnel/os/file_descriptor.hpp"

namespace pqc_tunnel
{

// A bound, non-blocking socket.
struct Socket
{
  FileDescriptor fd;
  SocketFamily family = SocketFamily::ipv4;
  std::uint16_t port = 0;  // as bound
};

// `purpose` names the socket in errors, e.g. "the plaintext side". An empty host binds every
// address, IPv6 and IPv4.
Result<Socket> open_datagram_socket(
  const HostPort & where, std::size_t receive_buffer_bytes, const std::string & purpose);
Result<Socket> open_listener(const HostPort & where, const std::string & purpose);

// Only to send from, at a port of the system's choice; on the loopback interface if `to` is there.
Result<Socket> open_sender(const Endpoint & to);

// Encrypted datagrams are never fragmented on the way: too long is an error of the send call.
void forbid_fragmentation(const Socket & socket);

// Begins connecting; -1 and errno on an immediate failure.
FileDescriptor begin_connect(const Endpoint & to, const Endpoint & from = {});

// The address that a socket is bound to, without its port; family none if to any.
Endpoint bound_address(int fd);

// The text of an errno value.
std::string error_text(int error);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NET__SOCKETS_HPP_
