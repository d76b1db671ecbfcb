// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "control_socket.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "command_line/words.hpp"
#include "net/sockets.hpp"
#include "os/clock.hpp"

namespace pqc_tunnel::cli
{

namespace
{

constexpr std::size_t max_line = 4096;
constexpr std::size_t max_callers = 64;
// A caller may wait so long before it sends the rest of its line, or takes the rest of its answer.
constexpr Duration patience = std::chrono::seconds(5);

FileDescriptor open_unix_socket(int flags)
{
  return FileDescriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
}

bool somebody_listens(const sockaddr_un & address)
{
  const FileDescriptor fd = open_unix_socket(0);
  return ::connect(fd.get(), reinterpret_cast<const sockaddr *>(&address), sizeof(address)) == 0;
}

}  // namespace

Result<sockaddr_un> control_address(const std::filesystem::path & path)
{
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string text = path.string();
  if (text.empty() || text.size() >= sizeof(address.sun_path)) {
    return fail(
      ErrorCode::invalid_argument, "The path \"" + text + "\" doesn't fit a local socket.");
  }
  std::memcpy(address.sun_path, text.data(), text.size());
  return address;
}

ControlSocket::ControlSocket(FileDescriptor listener, std::filesystem::path path)
: listener_(std::move(listener)), path_(std::move(path))
{
}

ControlSocket::~ControlSocket()
{
  if (listener_) {
    ::unlink(path_.c_str());
  }
}

Result<ControlSocket> ControlSocket::open(const std::filesystem::path & path)
{
  const auto address = control_address(path);
  if (!address) {
    return tl::make_unexpected(address.error());
  }
  struct stat status
  {
  };
  if (::lstat(path.c_str(), &status) == 0) {
    if (!S_ISSOCK(status.st_mode) || somebody_listens(*address)) {
      return fail(ErrorCode::unavailable, "The control socket " + path.string() + " is in use.");
    }
    ::unlink(path.c_str());  // left behind by a program that was killed
  }
  FileDescriptor listener = open_unix_socket(SOCK_NONBLOCK);
  const mode_t before = ::umask(0177);
  const bool bound =
    ::bind(listener.get(), reinterpret_cast<const sockaddr *>(&*address), sizeof(*address)) == 0;
  const int error = errno;
  ::umask(before);
  if (!bound || ::listen(listener.get(), max_callers) != 0) {
    return fail(
      ErrorCode::unavailable, "The control socket " + path.string() +
                                " can't be made: " + error_text(bound ? errno : error) + ".");
  }
  return ControlSocket(std::move(listener), path);
}

std::vector<pollfd> ControlSocket::descriptors() const
{
  std::vector<pollfd> all{{listener_.get(), POLLIN, 0}};
  for (const auto & [number, caller] : callers_) {
    if (caller.hesitates()) {
      all.push_back(
        caller.asked ? pollfd{caller.fd.get(), POLLOUT, 0} : pollfd{caller.fd.get(), POLLIN, 0});
    }
  }
  return all;
}

Instant ControlSocket::next_timeout() const
{
  Instant next = Instant::max();
  for (const auto & [number, caller] : callers_) {
    next = caller.hesitates() ? std::min(next, caller.since + patience) : next;
  }
  return next;
}

void ControlSocket::accept_callers()
{
  while (true) {
    FileDescriptor fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!fd) {
      return;
    }
    if (callers_.size() < max_callers || make_room()) {
      Caller & caller = callers_[++last_caller_];
      caller.fd = std::move(fd);
      caller.since = monotonic_now();
    }
  }
}

// The caller that has hesitated longest gives way; those that wait for an answer do not.
bool ControlSocket::make_room()
{
  auto slowest = callers_.end();
  for (auto at = callers_.begin(); at != callers_.end(); ++at) {
    if (
      at->second.hesitates() &&
      (slowest == callers_.end() || at->second.since < slowest->second.since))
    {
      slowest = at;
    }
  }
  if (slowest == callers_.end()) {
    return false;
  }
  callers_.erase(slowest);
  return true;
}

std::optional<ControlSocket::Request> ControlSocket::read_line(
  std::uint64_t number, Caller & caller)
{
  std::array<char, 512> buffer{};
  const auto got = ::recv(caller.fd.get(), buffer.data(), buffer.size(), 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
    return std::nullopt;
  }
  if (got > 0) {
    caller.line.append(buffer.data(), static_cast<std::size_t>(got));
  }
  const auto end = caller.line.find('\n');
  if (end != std::string::npos) {
    caller.asked = true;
    return Request{number, split(caller.line.substr(0, end), ' ')};
  }
  if (got <= 0 || caller.line.size() > max_line) {
    caller.asked = true;
    return Request{number, {}};
  }
  return std::nullopt;
}

std::vector<ControlSocket::Request> ControlSocket::handle_ready()
{
  accept_callers();
  std::vector<Request> requests;
  for (auto at = callers_.begin(); at != callers_.end();) {
    Caller & caller = at->second;
    if (!caller.asked) {
      if (auto request = read_line(at->first, caller)) {
        requests.push_back(std::move(*request));
      }
    }
    const bool answered = !caller.answer.empty() && !send_more(caller);
    const bool too_late = caller.hesitates() && monotonic_now() >= caller.since + patience;
    at = answered || too_late ? callers_.erase(at) : std::next(at);
  }
  return requests;
}

// False if all is sent, or the caller has gone.
bool ControlSocket::send_more(Caller & caller)
{
  while (!caller.answer.empty()) {
    const auto sent =
      ::send(caller.fd.get(), caller.answer.data(), caller.answer.size(), MSG_NOSIGNAL);
    if (sent < 0) {
      return errno == EAGAIN || errno == EINTR;
    }
    caller.answer.erase(0, static_cast<std::size_t>(sent));
    caller.since = monotonic_now();
  }
  return false;
}

void ControlSocket::answer(std::uint64_t number, const std::string & line)
{
  const auto found = callers_.find(number);
  if (found == callers_.end()) {
    return;
  }
  found->second.answer = line + "\n";
  found->second.since = monotonic_now();
  if (!send_more(found->second)) {
    callers_.erase(found);
  }
}

Result<std::string> ask(
  const std::filesystem::path & path, const std::string & line, std::chrono::seconds limit)
{
  const auto address = control_address(path);
  if (!address) {
    return tl::make_unexpected(address.error());
  }
  const FileDescriptor fd = open_unix_socket(0);
  if (::connect(fd.get(), reinterpret_cast<const sockaddr *>(&*address), sizeof(*address)) != 0) {
    return fail(
      ErrorCode::unavailable,
      "No tunnel answers at " + path.string() + ": " + error_text(errno) + ".");
  }
  const timeval patience{limit.count(), 0};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  const std::string text = line + "\n";
  if (::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL) < 0) {
    return fail(ErrorCode::unavailable, "The request can't be sent: " + error_text(errno) + ".");
  }
  std::string answer;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = ::recv(fd.get(), buffer.data(), buffer.size(), 0)) != 0;) {
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      break;
    }
    answer.append(buffer.data(), static_cast<std::size_t>(got));
  }
  if (!answer.ends_with('\n')) {
    return fail(
      ErrorCode::unavailable, "The tunnel at " + path.string() + " has ended, or does not answer.");
  }
  answer.pop_back();
  return answer;
}

}  // namespace pqc_tunnel::cli
