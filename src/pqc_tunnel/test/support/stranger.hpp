// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef IO__STRANGER_HPP_
#define IO__STRANGER_HPP_

#include "application.hpp"

namespace pqc_tunnel
{

// Someone who connects to a TCP port of the loopback without knowing any key.
class Stranger
{
public:
  explicit Stranger(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
  {
    check(fd_ >= 0, "socket");
    const sockaddr_in to = loopback_address(port);
    const int result = ::connect(fd_, reinterpret_cast<const sockaddr *>(&to), sizeof(to));
    check(result == 0 || errno == ECONNRESET, "connect");  // may be turned away that quickly
  }
  ~Stranger() { ::close(fd_); }
  Stranger(const Stranger &) = delete;
  Stranger & operator=(const Stranger &) = delete;

  // As much as the other end takes: it may hang up meanwhile.
  void send(ByteView bytes)
  {
    while (!bytes.empty()) {
      const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) {
        return;
      }
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
  }

  // Returns whether the other end closes within the limit without sending a byte.
  bool is_hung_up_on(int limit_ms = 30000)
  {
    pollfd ready{fd_, POLLIN, 0};
    if (::poll(&ready, 1, limit_ms) <= 0) {
      return false;
    }
    std::uint8_t byte = 0;
    return ::recv(fd_, &byte, 1, 0) <= 0;
  }

private:
  int fd_;
};

}  // namespace pqc_tunnel

#endif  // IO__STRANGER_HPP_
