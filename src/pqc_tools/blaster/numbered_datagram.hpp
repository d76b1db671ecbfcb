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

// A datagram with its number and the time at which it was sent, padded with bytes that depend on the number, under a
// checksum of the whole. It never leaves the machine: fields are in host order.
struct NumberedDatagram
{
  std::uint32_t run = 0;  // identifies the process
  std::uint32_t direction = 0;
  std::uint64_t number = 0;
  Instant sent;
};

inline constexpr std::size_t min_numbered_size = 40;

// Fills all of `out`, which must have at least min_numbered_size bytes.
void write_numbered(const NumberedDatagram & datagram, MutableBytes out);

// Returns nothing if any byte has changed.
std::optional<NumberedDatagram> read_numbered(ByteView bytes);

}  // namespace pqc_tunnel::blaster

#endif  // PQC_TOOLS__BLASTER__NUMBERED_DATAGRAM_HPP_
