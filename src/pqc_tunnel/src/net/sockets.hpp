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

/// Forbids fragmentation of datagrams from this socket. The send call fails with EMSGSIZE instead.
void forbid_fragmentation(const Socket & socket);

/// Lets the socket send to the broadcast address of a network.
void allow_broadcast(const Socket & socket);

/// Restricts the socket to this network interface. The error is a sentence: no such interface, no right.
Result<void> bind_to_interface(const Socket & socket, const std::string & interface);

/// A further socket at the port of another one, connected to one address: it takes only what comes from there, and the system
/// looks up no route for each datagram. While there is none, the other socket serves that address.
class ConnectedSocket
{
public:
  /// Connects to this address (AddressFamily::none: closes), or again after `changed`, with the route and the own address of
  /// now; what has arrived stays. `interface` is that of `first`; empty: any. What can't be connected is tried again by the
  /// next call. Returns whether there is a new socket.
  bool use(const Endpoint & to, const Socket & first, const std::string & interface, bool changed);
  /// Reaches no address any more, but goes on receiving.
  void leave() { to_ = {}; }

  bool is_open() const { return static_cast<bool>(socket_.fd); }
  bool reaches(const Endpoint & to) const { return is_open() && to_ == to; }
  const Socket & socket() const { return socket_; }
  int fd() const { return socket_.fd.get(); }

private:
  Socket socket_;
  Endpoint to_;  // AddressFamily::none: left, or not open
};

/// Returns the address that a socket is bound to, without its port; AddressFamily::none: every address.
Endpoint bound_address(int fd);

/// Returns the text of an errno value. Any thread.
std::string error_text(int error);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NET__SOCKETS_HPP_
