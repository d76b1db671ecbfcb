// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__APPLICATION_HPP_
#define SUPPORT__APPLICATION_HPP_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <optional>
#include <system_error>

#include "base/bytes.hpp"

namespace pqc_tunnel
{

inline sockaddr_in loopback_address(std::uint16_t port)
{
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

inline void check(bool succeeded, const char * what)
{
  if (!succeeded) {
    throw std::system_error(errno, std::generic_category(), what);
  }
}

inline void bind_to(int fd, const sockaddr_in & address)
{
  check(::bind(fd, reinterpret_cast<const sockaddr *>(&address), sizeof(address)) == 0, "bind");
}

// Binds to a free port of the loopback.
inline void bind_to_loopback(int fd) { bind_to(fd, loopback_address(0)); }

inline std::uint16_t port_of(int fd)
{
  sockaddr_in address{};
  socklen_t length = sizeof(address);
  check(::getsockname(fd, reinterpret_cast<sockaddr *>(&address), &length) == 0, "getsockname");
  return ntohs(address.sin_port);
}

// An application on the plaintext side, or a stranger on the other: a UDP socket on the loopback.
class Application
{
public:
  Application() : Application(loopback_address(0)) {}
  explicit Application(const sockaddr_in & address)
  : fd_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0))
  {
    check(fd_ >= 0, "socket");
    const int size = 4 * 1024 * 1024;
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
    bind_to(fd_, address);
  }
  ~Application() { ::close(fd_); }
  Application(const Application &) = delete;
  Application & operator=(const Application &) = delete;

  std::uint16_t port() const { return port_of(fd_); }

  void connect(std::uint16_t port) { to_ = loopback_address(port); }

  void send(ByteView bytes) const { send_to(to_, bytes); }
  // Sends to the source of the datagram received last.
  void answer(ByteView bytes) const { send_to(source_, bytes); }

  // The next datagram; nothing if none arrives within the limit.
  std::optional<Bytes> receive(int limit_ms = 30000) const
  {
    pollfd ready{fd_, POLLIN, 0};
    if (::poll(&ready, 1, limit_ms) <= 0) {
      return std::nullopt;
    }
    Bytes bytes(65536);
    socklen_t length = sizeof(source_);
    const auto received = ::recvfrom(
      fd_, bytes.data(), bytes.size(), 0, reinterpret_cast<sockaddr *>(&source_), &length);
    check(received >= 0, "recvfrom");
    bytes.resize(static_cast<std::size_t>(received));
    return bytes;
  }

private:
  void send_to(const sockaddr_in & to, ByteView bytes) const
  {
    const auto sent = ::sendto(
      fd_, bytes.data(), bytes.size(), 0, reinterpret_cast<const sockaddr *>(&to), sizeof(to));
    check(sent == static_cast<ssize_t>(bytes.size()), "sendto");
  }

  int fd_;
  sockaddr_in to_ = {};
  mutable sockaddr_in source_ = {};
};

}  // namespace pqc_tunnel

#endif  // SUPPORT__APPLICATION_HPP_
