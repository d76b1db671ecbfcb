// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "pqc_tunnel/net/stream_connection.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "pqc_tunnel/net/sockets.hpp"

namespace pqc_tunnel
{

namespace
{

// The longest message is a ServerHello with a Classic McEliece key, below 1.5 MB.
constexpr std::size_t max_queued = std::size_t{4} << 20;

// The largest piece per system call: copying a whole Classic McEliece key would delay datagrams.
constexpr std::size_t max_piece = std::size_t{1} << 16;

}  // namespace

bool StreamConnection::send(Bytes bytes)
{
  if (queued_ + bytes.size() > max_queued) {
    return false;
  }
  if (!bytes.empty()) {
    has_sent_ = true;
    queued_ += bytes.size();
    queue_.push_back(std::move(bytes));
    flush();
  }
  return true;
}

void StreamConnection::flush()
{
  if (queue_.empty()) {
    return;
  }
  const ByteView rest = ByteView(queue_.front()).subspan(offset_);
  const auto sent = ::send(fd_.get(), rest.data(), std::min(rest.size(), max_piece), MSG_NOSIGNAL);
  if (sent < 0) {
    if (errno != EAGAIN && errno != EINTR) {  // broken: receive() will report it
      queue_.clear();
      offset_ = queued_ = 0;
    }
    return;
  }
  offset_ += static_cast<std::size_t>(sent);
  queued_ -= static_cast<std::size_t>(sent);
  if (offset_ == queue_.front().size()) {
    queue_.pop_front();
    offset_ = 0;
  }
}

ByteView StreamConnection::receive(MutableBytes buffer, std::string & failure)
{
  const auto received = ::recv(fd_.get(), buffer.data(), buffer.size(), 0);
  if (received > 0) {
    return buffer.first(static_cast<std::size_t>(received));
  }
  if (received == 0) {
    failure = "the other end closed the connection";
  } else if (errno != EAGAIN && errno != EINTR) {
    failure = "the connection failed (" + error_text(errno) + ")";
  }
  return {};
}

void StreamConnection::finish_sending() { ::shutdown(fd_.get(), SHUT_WR); }

void StreamConnection::abandon()
{
  const linger at_once{1, 0};
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
}

}  // namespace pqc_tunnel
