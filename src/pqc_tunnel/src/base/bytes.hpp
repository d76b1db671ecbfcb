// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__BASE__BYTES_HPP_
#define PQC_TUNNEL__BASE__BYTES_HPP_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace pqc_tunnel
{

/// Owned bytes.
using Bytes = std::vector<std::uint8_t>;
/// Read-only view of bytes that the caller keeps alive.
using ByteView = std::span<const std::uint8_t>;
/// Writable view of bytes that the caller keeps alive.
using MutableBytes = std::span<std::uint8_t>;

/// Returns the bytes of a text.
inline ByteView bytes_of(std::string_view text)
{
  return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()};
}

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__BASE__BYTES_HPP_
