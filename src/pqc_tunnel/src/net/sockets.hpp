// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NET__SOCKETS_HPP_
#define PQC_TUNNEL__NET__SOCKETS_HPP_

#include <cstddef>
#include <string>

#include "base/endpoint.hpp"
#include "base/result.hpp"
#include "host_port.hpp"
#include "os/file_descriptor.hpp"
#include "socket_address.hpp"

namespace pqc_tunnel
{

/// A bound, non-blocking socket.
struct Socket
{
  FileDescriptor fd;
  SocketFamily family = SocketFamily::ipv4;
  std::uint16_t port = 0;  ///< port that it is bound to
};

/// Bytes that hold what arrives while other processes have the CPU.
inline constexpr std::size_t usual_receive_buffer = std::size_t{4} << 20;

/// Opens a UDP socket that stamps received datagrams (ReceiveBatch::waited). An empty host binds every address, IPv6
/// and IPv4; port 0 takes a free port. `purpose` names the socket in errors, e.g. "the plaintext side". Errors are
/// sentences: port in use, address not on this machine, no right.
Result<Socket> open_datagram_socket(
  const HostPort & where, std::size_t receive_buffer_bytes, const std::string & purpose);

/// Opens a UDP socket on a free port for sending to `to`. It is bound to the loopback interface if `to` is on it.
Result<Socket> open_sender(const Endpoint & to);

/// Opens a further socket at the port of `first`, which takes only what comes from `remote` and reaches nothing else: the
/// system then looks up no route for each datagram. `interface` is that of `first`; empty: any. The error is a sentence.
Result<Socket> open_connected(
  const Socket & first, const Endpoint & remote, const std::string & interface);

/// Connects the socket of open_connected() again, to the same address or another one, with the route and the own address
/// of now. What has arrived stays. Returns false if there is no route.
bool connect_again(const Socket & socket, const Endpoint & remote);

/// Forbids fragmentation of datagrams from this socket. The send call fails with EMSGSIZE instead.
void forbid_fragmentation(const Socket & socket);

/// Lets the socket send to the broadcast address of a network.
void allow_broadcast(const Socket & socket);

/// Restricts the socket to this network interface. The error is a sentence: no such interface, no right.
Result<void> bind_to_interface(const Socket & socket, const std::string & interface);

/// Returns the address that a socket is bound to, without its port; AddressFamily::none: every address.
Endpoint bound_address(int fd);

/// Returns the text of an errno value. Any thread.
std::string error_text(int error);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NET__SOCKETS_HPP_
