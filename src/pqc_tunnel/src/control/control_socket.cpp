// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "control_socket.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "pqc_tunnel/command_line/arguments.hpp"
#include "pqc_tunnel/net/sockets.hpp"

namespace pqc_tunnel::cli
{

namespace
{

constexpr std::size_t max_line = 4096;
constexpr std::size_t max_callers = 16;

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
  if (!bound || ::listen(listener.get(), 8) != 0) {
    return fail(
      ErrorCode::unavailable, "The control socket " + path.string() +
                                " can't be made: " + error_text(bound ? errno : error) + ".");
  }
  return ControlSocket(std::move(listener), path);
}

std::vector<int> ControlSocket::descriptors() const
{
  std::vector<int> all{listener_.get()};
  for (const auto & [number, caller] : callers_) {
    if (!caller.asked) {
      all.push_back(caller.fd.get());
    }
  }
  return all;
}

void ControlSocket::accept_callers()
{
  while (true) {
    FileDescriptor fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!fd) {
      return;
    }
    if (callers_.size() < max_callers) {
      callers_[++last_caller_].fd = std::move(fd);
    }
  }
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
  for (auto & [number, caller] : callers_) {
    if (!caller.asked) {
      if (auto request = read_line(number, caller)) {
        requests.push_back(std::move(*request));
      }
    }
  }
  return requests;
}

void ControlSocket::answer(std::uint64_t caller, const std::string & line)
{
  const auto found = callers_.find(caller);
  if (found == callers_.end()) {
    return;
  }
  const std::string text = line + "\n";
  // Fits the socket's buffer; a caller that does not read gets less and delays nobody.
  [[maybe_unused]] const auto sent =
    ::send(found->second.fd.get(), text.data(), text.size(), MSG_NOSIGNAL);
  callers_.erase(found);
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
