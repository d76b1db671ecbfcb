// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef LINK_EMULATOR__UDP_GROUND_HPP_
#define LINK_EMULATOR__UDP_GROUND_HPP_

#include "support/application.hpp"

namespace pqc_tunnel
{

// A UDP socket on the loopback that answers whoever sent to it last.
class UdpGround
{
public:
  UdpGround() : fd_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0))
  {
    const sockaddr_in any = loopback_address(0);
    check(::bind(fd_, reinterpret_cast<const sockaddr *>(&any), sizeof(any)) == 0, "bind");
  }
  ~UdpGround() { ::close(fd_); }
  UdpGround(const UdpGround &) = delete;
  UdpGround & operator=(const UdpGround &) = delete;

  std::uint16_t port() const
  {
    sockaddr_in address{};
    socklen_t length = sizeof(address);
    check(::getsockname(fd_, reinterpret_cast<sockaddr *>(&address), &length) == 0, "getsockname");
    return ntohs(address.sin_port);
  }

  // The next datagram; nothing if none comes within the limit.
  std::optional<Bytes> receive(int limit_ms = 30000)
  {
    pollfd ready{fd_, POLLIN, 0};
    if (::poll(&ready, 1, limit_ms) <= 0) {
      return std::nullopt;
    }
    Bytes bytes(65536);
    socklen_t length = sizeof(sender_);
    const auto received = ::recvfrom(
      fd_, bytes.data(), bytes.size(), 0, reinterpret_cast<sockaddr *>(&sender_), &length);
    check(received >= 0, "recvfrom");
    bytes.resize(static_cast<std::size_t>(received));
    return bytes;
  }

  void answer(ByteView bytes) const
  {
    const auto sent = ::sendto(
      fd_, bytes.data(), bytes.size(), 0, reinterpret_cast<const sockaddr *>(&sender_),
      sizeof(sender_));
    check(sent == static_cast<ssize_t>(bytes.size()), "sendto");
  }

private:
  int fd_;
  sockaddr_in sender_ = {};
};

}  // namespace pqc_tunnel

#endif  // LINK_EMULATOR__UDP_GROUND_HPP_
