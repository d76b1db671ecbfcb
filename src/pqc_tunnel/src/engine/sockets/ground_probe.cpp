// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "ground_probe.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstdint>

#include "net/socket_address.hpp"

namespace pqc_tunnel
{
namespace
{

GroundTrouble trouble_of(int error)
{
  switch (error) {
    case ECONNREFUSED:
      return GroundTrouble::refused;
    case ENETUNREACH:
    case ENETDOWN:
    case EHOSTUNREACH:
    case EHOSTDOWN:
      return GroundTrouble::unreachable;
    default:
      return GroundTrouble::none;
  }
}

}  // namespace

GroundTrouble GroundProbe::send(const Endpoint & to)
{
  close();
  const SocketFamily family = family_of(to);
  fd_ = FileDescriptor(::socket(domain_of(family), SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const SocketAddress address = to_socket_address(to, family);
  if (
    !fd_ || ::connect(fd_.get(), address.data(), address.length) != 0 ||
    ::send(fd_.get(), "", 0, MSG_NOSIGNAL) < 0)
  {
    return trouble_of(errno);
  }
  poller_.add(fd_.get(), {Source::probe}, EPOLLIN);
  return GroundTrouble::none;
}

GroundTrouble GroundProbe::handle_ready()
{
  std::uint8_t byte = 0;
  const bool failed = ::recv(fd_.get(), &byte, sizeof(byte), MSG_DONTWAIT) < 0;
  const GroundTrouble trouble = failed ? trouble_of(errno) : GroundTrouble::none;
  close();
  return trouble;
}

void GroundProbe::close()
{
  if (fd_) {
    poller_.remove(fd_.get());
    fd_.reset();
  }
}

}  // namespace pqc_tunnel
