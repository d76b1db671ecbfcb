// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__FLOOD__SPOOFED_SOURCE_HPP_
#define PQC_TOOLS__FLOOD__SPOOFED_SOURCE_HPP_

#include <cstddef>

#include "pqc_tunnel/base/bytes.hpp"
#include "pqc_tunnel/base/endpoint.hpp"
#include "pqc_tunnel/base/result.hpp"
#include "pqc_tunnel/net/sockets.hpp"

namespace pqc_tunnel::blaster
{

// The IPv4 header without options (RFC 791) and the UDP header (RFC 768) in front of a datagram's bytes.
inline constexpr std::size_t spoofed_header_size = 28;

// A raw socket, whose user writes the headers; needs the right CAP_NET_RAW. Answers go to whoever has the source address.
Result<Socket> open_spoofing_sender();

// Writes the headers of a datagram to the beginning of `packet`; its bytes are behind them. Both ends are IPv4. The system
// fills in the checksum of the IPv4 header; that of UDP is left out.
void write_spoofed_headers(MutableBytes packet, const Endpoint & from, const Endpoint & to);

}  // namespace pqc_tunnel::blaster

#endif  // PQC_TOOLS__FLOOD__SPOOFED_SOURCE_HPP_
