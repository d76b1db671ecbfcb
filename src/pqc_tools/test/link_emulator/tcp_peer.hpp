// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef LINK_EMULATOR__TCP_PEER_HPP_
#define LINK_EMULATOR__TCP_PEER_HPP_

#include "support/application.hpp"

namespace pqc_tunnel
{

// One end of a TCP connection on the loopback.
class TcpPeer
{
public:
  explicit TcpPeer(int fd) : fd_(fd) { check(fd_ >= 0, "socket"); }
  static TcpPeer connect_to(std::uint16_t port)
  {
    TcpPeer peer(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in to = loopback_address(port);
    check(::connect(peer.fd_, reinterpret_cast<const sockaddr *>(&to), sizeof(to)) == 0, "connect");
    return peer;
  }
  TcpPeer(TcpPeer && other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  TcpPeer & operator=(TcpPeer &&) = delete;
  ~TcpPeer() { close(); }

  void send(ByteView bytes) const
  {
    while (!bytes.empty()) {
      const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      check(sent > 0, "send");
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
  }
  void finish_sending() const { ::shutdown(fd_, SHUT_WR); }

  struct Received
  {
    Bytes bytes;
    bool ended = false;  // closed by the other end
    bool broken = false;
  };
  // Up to `count` bytes, or until the other end closes.
  Received receive(std::size_t count, int limit_ms = 30000) const
  {
    Received received;
    Bytes buffer(65536);
    pollfd ready{fd_, POLLIN, 0};
    while (received.bytes.size() < count && ::poll(&ready, 1, limit_ms) > 0) {
      const std::size_t wanted = std::min(buffer.size(), count - received.bytes.size());
      const auto size = ::recv(fd_, buffer.data(), wanted, 0);
      if (size <= 0) {
        received.ended = size == 0;
        received.broken = size < 0;
        break;
      }
      received.bytes.insert(received.bytes.end(), buffer.begin(), buffer.begin() + size);
    }
    return received;
  }
  Received receive_to_the_end() const { return receive(SIZE_MAX); }

  // Closes with a reset.
  void break_off()
  {
    const linger at_once{1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    close();
  }
  void close()
  {
    if (fd_ >= 0) {
      ::close(fd_);
      fd_ = -1;
    }
  }

private:
  int fd_;
};

class TcpListener
{
public:
  TcpListener() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
  {
    bind_to_loopback(fd_);
    check(::listen(fd_, 8) == 0, "listen");
  }
  ~TcpListener() { ::close(fd_); }
  TcpListener(const TcpListener &) = delete;
  TcpListener & operator=(const TcpListener &) = delete;

  std::uint16_t port() const { return port_of(fd_); }
  TcpPeer accept() const
  {
    pollfd ready{fd_, POLLIN, 0};
    check(::poll(&ready, 1, 30000) > 0, "poll");
    return TcpPeer(::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC));
  }

private:
  int fd_;
};

}  // namespace pqc_tunnel

#endif  // LINK_EMULATOR__TCP_PEER_HPP_
