// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "address.hpp"

#include <arpa/inet.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "socket_address.hpp"

namespace pqc_tunnel
{

namespace
{

constexpr std::array<std::uint8_t, 12> mapped_prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

struct AddressListDeleter
{
  void operator()(addrinfo * list) const { freeaddrinfo(list); }
};
using AddressList = std::unique_ptr<addrinfo, AddressListDeleter>;

addrinfo numeric_hints()
{
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  hints.ai_flags = AI_NUMERICHOST;
  return hints;
}

}  // namespace

std::string to_string(const Endpoint & endpoint)
{
  std::array<char, INET6_ADDRSTRLEN> text{};
  const std::string port = ":" + std::to_string(endpoint.port);
  switch (endpoint.family) {
    case AddressFamily::none:
      return "nowhere";
    case AddressFamily::serial:
      return "serial link " + std::to_string(endpoint.link);
    case AddressFamily::ipv4:
      inet_ntop(AF_INET, endpoint.address.data(), text.data(), text.size());
      return text.data() + port;
    case AddressFamily::ipv6:
      inet_ntop(AF_INET6, endpoint.address.data(), text.data(), text.size());
      break;
  }
  std::string scope;
  if (endpoint.scope != 0) {
    std::array<char, IF_NAMESIZE> name{};
    scope = if_indextoname(endpoint.scope, name.data()) != nullptr
              ? "%" + std::string(name.data())
              : "%" + std::to_string(endpoint.scope);
  }
  return "[" + std::string(text.data()) + scope + "]" + port;
}

bool is_numeric(const std::string & host)
{
  const addrinfo hints = numeric_hints();
  addrinfo * found = nullptr;
  const int error = getaddrinfo(host.c_str(), nullptr, &hints, &found);
  const AddressList list(found);
  return error == 0;
}

Result<std::vector<Endpoint>> resolve(const HostPort & where)
{
  addrinfo hints = numeric_hints();
  hints.ai_flags = 0;
  addrinfo * found = nullptr;
  const int error = getaddrinfo(where.host.c_str(), nullptr, &hints, &found);
  const AddressList list(found);
  std::vector<Endpoint> endpoints;
  for (const addrinfo * one = error == 0 ? list.get() : nullptr; one != nullptr; one = one->ai_next)
  {
    sockaddr_storage storage{};
    std::memcpy(&storage, one->ai_addr, std::min<std::size_t>(sizeof(storage), one->ai_addrlen));
    Endpoint endpoint = to_endpoint(storage);
    endpoint.port = where.port;
    if (
      endpoint.family != AddressFamily::none &&
      std::find(endpoints.begin(), endpoints.end(), endpoint) == endpoints.end())
    {
      endpoints.push_back(endpoint);
    }
  }
  if (endpoints.empty()) {
    return fail(
      ErrorCode::unavailable, "The host name \"" + where.host + "\" doesn't resolve (" +
                                (error == 0 ? "no IP address" : gai_strerror(error)) + ").");
  }
  return endpoints;
}

int domain_of(SocketFamily family) { return family == SocketFamily::ipv4 ? AF_INET : AF_INET6; }

SocketFamily family_of(const Endpoint & endpoint)
{
  return endpoint.family == AddressFamily::ipv4 ? SocketFamily::ipv4 : SocketFamily::ipv6;
}

bool reaches(SocketFamily family, const Endpoint & endpoint)
{
  switch (endpoint.family) {
    case AddressFamily::none:
    case AddressFamily::serial:
      return false;
    case AddressFamily::ipv4:
      return family != SocketFamily::ipv6;
    case AddressFamily::ipv6:
      return family != SocketFamily::ipv4;
  }
  return false;
}

SocketAddress to_socket_address(const Endpoint & endpoint, SocketFamily family)
{
  SocketAddress result{};
  if (!reaches(family, endpoint)) {
    return result;
  }
  if (family == SocketFamily::ipv4) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(endpoint.port);
    std::memcpy(&address.sin_addr, endpoint.address.data(), sizeof(address.sin_addr));
    std::memcpy(&result.storage, &address, sizeof(address));
    result.length = sizeof(address);
  } else {
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(endpoint.port);
    address.sin6_scope_id = endpoint.scope;
    if (endpoint.family == AddressFamily::ipv4) {
      std::memcpy(address.sin6_addr.s6_addr, mapped_prefix.data(), mapped_prefix.size());
      std::memcpy(address.sin6_addr.s6_addr + mapped_prefix.size(), endpoint.address.data(), 4);
    } else {
      std::memcpy(address.sin6_addr.s6_addr, endpoint.address.data(), 16);
    }
    std::memcpy(&result.storage, &address, sizeof(address));
    result.length = sizeof(address);
  }
  return result;
}

std::vector<Endpoint> reachable_from(std::vector<Endpoint> endpoints, SocketFamily family)
{
  std::erase_if(
    endpoints, [family](const Endpoint & endpoint) { return !reaches(family, endpoint); });
  return endpoints;
}

[[gnu::hot]] Endpoint to_endpoint(const sockaddr_storage & address)
{
  Endpoint endpoint;
  if (address.ss_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof(v4));
    endpoint.family = AddressFamily::ipv4;
    endpoint.port = ntohs(v4.sin_port);
    std::memcpy(endpoint.address.data(), &v4.sin_addr, sizeof(v4.sin_addr));
  } else if (address.ss_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address, sizeof(v6));
    endpoint.port = ntohs(v6.sin6_port);
    if (std::memcmp(v6.sin6_addr.s6_addr, mapped_prefix.data(), mapped_prefix.size()) == 0) {
      endpoint.family = AddressFamily::ipv4;
      std::memcpy(endpoint.address.data(), v6.sin6_addr.s6_addr + mapped_prefix.size(), 4);
    } else {
      endpoint.family = AddressFamily::ipv6;
      endpoint.scope = v6.sin6_scope_id;
      std::memcpy(endpoint.address.data(), v6.sin6_addr.s6_addr, 16);
    }
  }
  return endpoint;
}

}  // namespace pqc_tunnel
