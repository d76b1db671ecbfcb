// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__LINK__FRAMING__FRAGMENT_HPP_
#define PQC_TUNNEL__LINK__FRAMING__FRAGMENT_HPP_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/bytes.hpp"

namespace pqc_tunnel
{

// Bytes of the longest datagram that leaves in fragments: the payload of an Ethernet frame.
inline constexpr std::size_t longest_fragmented = 1500;
// Bytes of the header of a fragment.
inline constexpr std::size_t fragment_header = 3;
// Most frames between the first fragment of a datagram and any other.
inline constexpr std::uint64_t most_back = 4095;

// The place of a fragment in its datagram.
struct FragmentPlace
{
  std::size_t offset = 0;  // bytes
  bool is_last = false;    // it ends the datagram

  friend bool operator==(const FragmentPlace &, const FragmentPlace &) = default;
};

// The frame of a datagram's first fragment, which identifies the datagram.
struct FragmentOrigin
{
  std::uint64_t keys = 0;  // number of the keys that sealed it
  std::uint64_t sequence = 0;

  friend bool operator==(const FragmentOrigin &, const FragmentOrigin &) = default;
};

// The payload of a frame that carries a fragment.
struct Fragment
{
  FragmentPlace place;
  std::uint64_t back = 0;  // sequence number less that of the first fragment
  ByteView bytes;
};

// `back` must be at most `most_back`, and the offset less than `longest_fragmented`.
void write_fragment_header(
  std::span<std::uint8_t, fragment_header> out, const FragmentPlace & place, std::uint64_t back);

// Returns nothing if the payload is malformed or would not need fragments.
std::optional<Fragment> parse_fragment(ByteView payload);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__FRAMING__FRAGMENT_HPP_
