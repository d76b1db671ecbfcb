// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "fragment.hpp"

namespace pqc_tunnel
{
namespace
{

// Layout: last 1 bit | offset 11 bits | back 12 bits
constexpr std::uint32_t last_flag = 1U << 23;
constexpr unsigned offset_shift = 12;
constexpr std::uint32_t offset_mask = 0x7ff;
constexpr std::uint32_t back_mask = 0xfff;
static_assert(longest_fragmented <= offset_mask && most_back == back_mask);

}  // namespace

void write_fragment_header(
  std::span<std::uint8_t, fragment_header> out, const FragmentPlace & place, std::uint64_t back)
{
  const std::uint32_t word = (place.is_last ? last_flag : 0) |
                             static_cast<std::uint32_t>(place.offset) << offset_shift |
                             static_cast<std::uint32_t>(back);
  out[0] = static_cast<std::uint8_t>(word >> 16);
  out[1] = static_cast<std::uint8_t>(word >> 8);
  out[2] = static_cast<std::uint8_t>(word);
}

std::optional<Fragment> parse_fragment(ByteView payload)
{
  if (payload.size() <= fragment_header) {
    return std::nullopt;
  }
  const auto word = static_cast<std::uint32_t>(payload[0] << 16 | payload[1] << 8 | payload[2]);
  const Fragment fragment{
    {word >> offset_shift & offset_mask, (word & last_flag) != 0},
    word & back_mask,
    payload.subspan(fragment_header)};
  const bool is_first = fragment.place.offset == 0;
  if (
    is_first != (fragment.back == 0) || (is_first && fragment.place.is_last) ||
    fragment.place.offset + fragment.bytes.size() > longest_fragmented)
  {
    return std::nullopt;
  }
  return fragment;
}

}  // namespace pqc_tunnel
