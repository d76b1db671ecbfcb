// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "interfaces.hpp"

#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "address.hpp"
#include "address_scope.hpp"
#include "os/file_descriptor.hpp"

namespace pqc_tunnel
{
namespace
{

FileDescriptor open_socket(int domain)
{
  return FileDescriptor(::socket(domain, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

std::optional<Endpoint> numeric_address(const std::string & host)
{
  if (!is_numeric(host)) {
    return std::nullopt;
  }
  const auto found = resolve({host, 0});
  return found && !found->empty() ? std::optional(found->front()) : std::nullopt;
}

}  // namespace

Result<unsigned> find_interface(const std::string & name)
{
  const unsigned number = ::if_nametoindex(name.c_str());
  if (number == 0) {
    return fail(ErrorCode::unavailable, "There is no network interface " + name + ".");
  }
  const FileDescriptor socket = open_socket(AF_INET);
  ifreq request{};
  std::ranges::copy(name.substr(0, IFNAMSIZ - 1), request.ifr_name);
  const bool known = socket && ::ioctl(socket.get(), SIOCGIFFLAGS, &request) == 0;
  if (known && (request.ifr_flags & IFF_UP) == 0) {
    return fail(ErrorCode::unavailable, "The network interface " + name + " is down.");
  }
  return number;
}

std::vector<std::string> interface_names()
{
  std::vector<std::string> names;
  struct if_nameindex * const list = ::if_nameindex();
  for (const auto * one = list; one != nullptr && one->if_index != 0; ++one) {
    names.emplace_back(one->if_name);
  }
  ::if_freenameindex(list);
  return names;
}

bool is_own_address(const std::string & host)
{
  const auto address = numeric_address(host);
  if (!address) {
    return true;
  }
  const SocketFamily family = family_of(*address);
  const FileDescriptor socket = open_socket(domain_of(family));
  const SocketAddress any_port = to_socket_address(*address, family);
  return !socket || ::bind(socket.get(), any_port.data(), any_port.length) == 0 ||
         (errno != EADDRNOTAVAIL && errno != ENODEV);
}

bool reaches_many(const Endpoint & endpoint)
{
  if (endpoint.family != AddressFamily::ipv4) {
    return endpoint.family == AddressFamily::ipv6 && is_multicast(endpoint);
  }
  // A socket without SO_BROADCAST may not connect to a broadcast address.
  const FileDescriptor socket = open_socket(AF_INET);
  const SocketAddress address = to_socket_address(endpoint, SocketFamily::ipv4);
  return is_multicast(endpoint) ||
         (::connect(socket.get(), address.data(), address.length) != 0 && errno == EACCES);
}

SocketFamily family_to_bind(const HostPort & where)
{
  const auto address = numeric_address(where.host);
  return address ? family_of(*address) : SocketFamily::both;
}

}  // namespace pqc_tunnel
