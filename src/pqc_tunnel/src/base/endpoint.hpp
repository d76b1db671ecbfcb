// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__BASE__ENDPOINT_HPP_
#define PQC_TUNNEL__BASE__ENDPOINT_HPP_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace pqc_tunnel
{

/// Bytes in a UDP datagram that passes every IPv6 path: 1280 less both headers.
inline constexpr std::size_t universal_payload = 1232;

/// The family of an Endpoint.
enum class AddressFamily : std::uint8_t
{
  none,
  ipv4,
  ipv6,
  serial,  ///< the other end of a serial line, which Endpoint::link identifies
};

/// A network address and port as plain data. The core compares and stores endpoints; only net/ resolves and
/// prints them.
struct Endpoint
{
  AddressFamily family = AddressFamily::none;
  std::uint16_t port = 0;
  std::uint32_t scope = 0;                    ///< IPv6 scope id
  std::array<std::uint8_t, 16> address = {};  ///< network order; IPv4 in the first four bytes
  std::uint8_t link = 0;                      ///< index of the local link that reaches it

  friend bool operator==(const Endpoint & a, const Endpoint & b)
  {
    using Words = std::array<std::uint64_t, 2>;  // a call of memcmp() touches another page of code
    return a.family == b.family && a.port == b.port && a.scope == b.scope && a.link == b.link &&
           std::bit_cast<Words>(a.address) == std::bit_cast<Words>(b.address);
  }
};

/// Returns whether two endpoints differ in nothing but their ports.
inline bool same_host(Endpoint a, const Endpoint & b)
{
  a.port = b.port;
  return a == b;
}

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__BASE__ENDPOINT_HPP_
