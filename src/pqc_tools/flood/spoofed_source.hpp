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

// Bytes of the IPv4 header without options (RFC 791) and the UDP header (RFC 768).
inline constexpr std::size_t spoofed_header_size = 28;

// Opens a raw socket, whose user writes the headers. Needs CAP_NET_RAW. Answers go to the owner of the source address.
Result<Socket> open_spoofing_sender();

// Writes the headers of a datagram before its bytes, to the beginning of `packet`. Both ends must be IPv4. The system
// fills in the checksum of the IPv4 header; UDP gets none.
void write_spoofed_headers(MutableBytes packet, const Endpoint & from, const Endpoint & to);

}  // namespace pqc_tunnel::blaster

#endif  // PQC_TOOLS__FLOOD__SPOOFED_SOURCE_HPP_
