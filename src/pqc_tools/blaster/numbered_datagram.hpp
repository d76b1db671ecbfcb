// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__BLASTER__NUMBERED_DATAGRAM_HPP_
#define PQC_TOOLS__BLASTER__NUMBERED_DATAGRAM_HPP_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "pqc_tunnel/base/bytes.hpp"
#include "pqc_tunnel/base/time.hpp"

namespace pqc_tunnel::blaster
{

// A datagram that tells which one it is and when it was sent, filled up with bytes that depend on
// its number, under a checksum of all of it. It never leaves the machine: fields are in host order.
struct NumberedDatagram
{
  std::uint32_t run = 0;  // tells the datagrams of one process from another's
  std::uint32_t direction = 0;
  std::uint64_t number = 0;
  Instant sent;
};

inline constexpr std::size_t min_numbered_size = 40;

// Fills all of `out`, which is at least min_numbered_size long.
void write_numbered(const NumberedDatagram & datagram, MutableBytes out);

// Nothing if any byte isn't as it was written.
std::optional<NumberedDatagram> read_numbered(ByteView bytes);

}  // namespace pqc_tunnel::blaster

#endif  // PQC_TOOLS__BLASTER__NUMBERED_DATAGRAM_HPP_
