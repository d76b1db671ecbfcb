// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "service_manager.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "file_descriptor.hpp"

namespace pqc_tunnel
{

namespace
{

std::string_view environment(const char * name)
{
  const char * const given = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return given == nullptr ? "" : given;
}

}  // namespace

void tell_service_manager(std::string_view state)
{
  const std::string_view path = environment("NOTIFY_SOCKET");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    return;
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  if (path.front() == '@') {
    address.sun_path[0] = '\0';  // the abstract name space
  }
  const FileDescriptor fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  ::sendto(
    fd.get(), state.data(), state.size(), MSG_NOSIGNAL,
    reinterpret_cast<const sockaddr *>(&address), length);
}

std::chrono::microseconds watchdog_limit()
{
  const std::string_view limit = environment("WATCHDOG_USEC");
  std::chrono::microseconds::rep count = 0;
  std::from_chars(limit.data(), limit.data() + limit.size(), count);
  return std::chrono::microseconds(count);
}

}  // namespace pqc_tunnel
