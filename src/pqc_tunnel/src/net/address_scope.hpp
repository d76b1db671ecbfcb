// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NET__ADDRESS_SCOPE_HPP_
#define PQC_TUNNEL__NET__ADDRESS_SCOPE_HPP_

#include <algorithm>

#include "base/endpoint.hpp"

namespace pqc_tunnel
{

// The scope of an address, regardless of its port.

inline bool is_any(const Endpoint & endpoint)
{
  return std::ranges::all_of(endpoint.address, [](auto byte) { return byte == 0; });
}

inline bool is_loopback(const Endpoint & endpoint)
{
  const auto & bytes = endpoint.address;
  if (endpoint.family == AddressFamily::ipv4) {
    return bytes[0] == 127;
  }
  return endpoint.family == AddressFamily::ipv6 && bytes.back() == 1 &&
         std::all_of(bytes.begin(), bytes.end() - 1, [](auto byte) { return byte == 0; });
}

inline bool is_multicast(const Endpoint & endpoint)
{
  return endpoint.family == AddressFamily::ipv4 ? (endpoint.address[0] & 0xf0) == 0xe0
                                                : endpoint.address[0] == 0xff;
}

inline bool same_address(const Endpoint & a, const Endpoint & b)
{
  return a.family == b.family && a.address == b.address;
}

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NET__ADDRESS_SCOPE_HPP_
