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

// The longest datagram that leaves in fragments, in bytes: what an Ethernet frame carries.
inline constexpr std::size_t longest_fragmented = 1500;
// Bytes before those of the datagram in each fragment.
inline constexpr std::size_t fragment_header = 3;
// The first fragment was sealed at most so many frames before another one.
inline constexpr std::uint64_t most_back = 4095;

// Where the bytes of a fragment are in their datagram.
struct FragmentPlace
{
  std::size_t offset = 0;
  bool is_last = false;  // the datagram ends with it

  friend bool operator==(const FragmentPlace &, const FragmentPlace &) = default;
};

// The frame of a datagram's first fragment, which names the datagram.
struct FragmentOrigin
{
  std::uint64_t keys = 0;  // a name of the keys that it was sealed under
  std::uint64_t sequence = 0;

  friend bool operator==(const FragmentOrigin &, const FragmentOrigin &) = default;
};

// The payload of a frame that carries a fragment.
struct Fragment
{
  FragmentPlace place;
  std::uint64_t back = 0;  // sequence numbers since that of the first fragment
  ByteView bytes;
};

// `back` is at most `most_back`, the offset below `longest_fragmented`.
void write_fragment_header(
  std::span<std::uint8_t, fragment_header> out, const FragmentPlace & place, std::uint64_t back);

// Nothing if it is malformed, or cannot be a fragment of a datagram that needs several.
std::optional<Fragment> parse_fragment(ByteView payload);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__FRAMING__FRAGMENT_HPP_
