// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "handshake_transport.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "pqc_tunnel/net/address.hpp"
#include "pqc_tunnel/net/socket_address.hpp"

namespace pqc_tunnel
{

namespace
{

constexpr Duration attempt_limit = std::chrono::seconds(4);  // before the host's next address
constexpr Duration closing_limit = std::chrono::seconds(5);
constexpr std::size_t max_closing = 64;

ConnectionEnd connect_error(int error)
{
  using Kind = ConnectionEnd::Kind;
  switch (error) {
    case ECONNREFUSED:
      return {Kind::refused, error_text(error)};
    case ETIMEDOUT:
      return {Kind::no_answer, error_text(error)};
    case ENETUNREACH:
    case ENETDOWN:
    case EHOSTUNREACH:
    case EHOSTDOWN:
      return {Kind::unreachable, error_text(error)};
    default:
      return {Kind::failed, error_text(error)};
  }
}

FileDescriptor open_spare() { return FileDescriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

}  // namespace

ReadyTag HandshakeTransport::tag(ConnectionId connection)
{
  return {Source::connection, static_cast<std::uint64_t>(connection)};
}

void HandshakeTransport::watch(ConnectionId connection, const StreamConnection & stream)
{
  poller_.modify(stream.fd(), tag(connection), stream.has_queued() ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

// --- Ground station ---

void HandshakeTransport::listen(Socket listener)
{
  listener_ = std::move(listener);
  spare_ = open_spare();
  poller_.add(listener_.fd.get(), {Source::listener}, EPOLLIN);
}

std::optional<HandshakeTransport::Accepted> HandshakeTransport::accept()
{
  sockaddr_storage address{};
  socklen_t length = sizeof(address);
  FileDescriptor fd(::accept4(
    listener_.fd.get(), reinterpret_cast<sockaddr *>(&address), &length,
    SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!fd) {
    if (errno == EMFILE || errno == ENFILE) {
      // Out of descriptors: reject the caller, or the listener would stay ready for ever.
      spare_.reset();
      FileDescriptor(::accept4(listener_.fd.get(), nullptr, nullptr, SOCK_CLOEXEC)).reset();
      spare_ = open_spare();
    }
    return std::nullopt;
  }
  const int on = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  const ConnectionId connection{++last_accepted_};
  poller_.add(fd.get(), tag(connection), EPOLLIN);
  open_.emplace(connection, StreamConnection(std::move(fd)));
  return Accepted{connection, to_endpoint(address)};
}

void HandshakeTransport::reject(ConnectionId connection)
{
  const auto found = open_.find(connection);
  if (found != open_.end()) {
    found->second.abandon();
    open_.erase(found);
  }
}

// --- Drone ---

void HandshakeTransport::connect(
  ConnectionId connection, std::vector<Endpoint> candidates, Instant now)
{
  Attempt attempt;
  attempt.candidates = std::move(candidates);
  Attempt & stored = attempts_.insert_or_assign(connection, std::move(attempt)).first->second;
  if (!begin(connection, stored, now)) {
    stored.deadline = now;  // handle_timeout() continues from here
  }
}

bool HandshakeTransport::begin(ConnectionId connection, Attempt & attempt, Instant now)
{
  attempt.fd = begin_connect(attempt.candidates[attempt.current], from_);
  if (!attempt.fd) {
    attempt.last_error = connect_error(errno);
    return false;
  }
  const bool last = attempt.current + 1 == attempt.candidates.size();
  const Duration share = patience_ / static_cast<std::int64_t>(attempt.candidates.size());
  // The core limits the last one.
  attempt.deadline = last ? Instant::max() : now + std::min(attempt_limit, share);
  poller_.add(attempt.fd.get(), tag(connection), EPOLLOUT);
  return true;
}

// The current address has failed: try the next, or report it to the core.
HandshakeTransport::Progress HandshakeTransport::advance(
  ConnectionId connection, Attempt & attempt, ConnectionEnd error, Instant now)
{
  attempt.last_error = std::move(error);
  while (++attempt.current < attempt.candidates.size()) {
    if (begin(connection, attempt, now)) {
      return {connection, {}, {}, {}};
    }
  }
  Progress progress{connection, {}, {}, {}};
  progress.closed = ConnectionEnd{
    attempt.last_error.kind, "can't connect to " + to_string(attempt.candidates.back()) + " (" +
                               attempt.last_error.text + ")"};
  attempts_.erase(connection);
  return progress;
}

HandshakeTransport::Progress HandshakeTransport::handle_attempt(
  ConnectionId connection, Attempt & attempt, Instant now)
{
  int error = 0;
  socklen_t length = sizeof(error);
  ::getsockopt(attempt.fd.get(), SOL_SOCKET, SO_ERROR, &error, &length);
  if (error != 0) {
    return advance(connection, attempt, connect_error(error), now);
  }
  Progress progress{connection, attempt.candidates[attempt.current], {}, {}};
  StreamConnection stream(std::move(attempt.fd));
  watch(connection, stream);
  attempts_.erase(connection);
  open_.emplace(connection, std::move(stream));
  return progress;
}

// --- Both ---

bool HandshakeTransport::send(ConnectionId connection, Bytes bytes)
{
  const auto found = open_.find(connection);
  if (found == open_.end()) {
    return false;
  }
  if (!found->second.send(std::move(bytes))) {
    reject(connection);
    return false;
  }
  watch(connection, found->second);
  return true;
}

void HandshakeTransport::close(ConnectionId connection, Instant now)
{
  attempts_.erase(connection);
  const auto found = open_.find(connection);
  if (found == open_.end()) {
    return;
  }
  // A stranger who was sent nothing is closed at once; others get time to read the reply.
  if (!found->second.has_sent()) {
    reject(connection);
    return;
  }
  if (closing_.size() == max_closing) {
    closing_.erase(std::ranges::min_element(
      closing_, {}, [](const auto & entry) { return entry.second.deadline; }));
  }
  StreamConnection stream = std::move(found->second);
  open_.erase(found);
  if (!stream.has_queued()) {
    stream.finish_sending();
  }
  closing_.emplace(connection, Closing{std::move(stream), now + closing_limit});
}

void HandshakeTransport::handle_closing(ConnectionId connection, Closing & closing)
{
  if (closing.stream.has_queued()) {
    closing.stream.flush();
    if (!closing.stream.has_queued()) {
      closing.stream.finish_sending();
      watch(connection, closing.stream);
    }
  }
  std::string failure;
  closing.stream.receive(buffer_, failure);
  if (!failure.empty()) {
    closing_.erase(connection);
  }
}

HandshakeTransport::Progress HandshakeTransport::handle_ready(
  ConnectionId connection, std::uint32_t events, Instant now)
{
  if (const auto found = attempts_.find(connection); found != attempts_.end()) {
    return handle_attempt(connection, found->second, now);
  }
  if (const auto found = closing_.find(connection); found != closing_.end()) {
    handle_closing(connection, found->second);
    return {};
  }
  const auto found = open_.find(connection);
  if (found == open_.end()) {
    return {};
  }
  if ((events & EPOLLOUT) != 0) {
    found->second.flush();
    watch(connection, found->second);
  }
  Progress progress{connection, {}, {}, {}};
  std::string failure;
  progress.bytes = found->second.receive(buffer_, failure);
  if (!failure.empty()) {
    progress.closed = ConnectionEnd{ConnectionEnd::Kind::closed, std::move(failure)};
    open_.erase(found);
  }
  return progress;
}

std::vector<HandshakeTransport::Progress> HandshakeTransport::handle_timeout(Instant now)
{
  std::erase_if(closing_, [now](const auto & entry) { return entry.second.deadline <= now; });
  std::vector<ConnectionId> overdue;
  for (const auto & [connection, attempt] : attempts_) {
    if (attempt.deadline <= now) {
      overdue.push_back(connection);
    }
  }
  std::vector<Progress> ended;
  for (const ConnectionId connection : overdue) {
    Attempt & attempt = attempts_.at(connection);
    ConnectionEnd error =
      attempt.fd ? ConnectionEnd{ConnectionEnd::Kind::no_answer, "no answer"} : attempt.last_error;
    auto progress = advance(connection, attempt, std::move(error), now);
    if (progress.closed) {
      ended.push_back(std::move(progress));
    }
  }
  return ended;
}

Instant HandshakeTransport::next_timeout() const
{
  Instant next = Instant::max();
  for (const auto & [connection, attempt] : attempts_) {
    next = std::min(next, attempt.deadline);
  }
  for (const auto & [connection, closing] : closing_) {
    next = std::min(next, closing.deadline);
  }
  return next;
}

}  // namespace pqc_tunnel
