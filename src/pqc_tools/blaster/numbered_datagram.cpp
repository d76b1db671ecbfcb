// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "numbered_datagram.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace pqc_tunnel::blaster
{

namespace
{

struct Layout
{
  std::uint64_t check;
  std::uint64_t magic;
  std::uint32_t run;
  std::uint32_t direction;
  std::uint64_t number;
  std::int64_t sent_ns;
};
static_assert(sizeof(Layout) == min_numbered_size);

constexpr std::uint64_t magic = 0x5051434d41563032;
constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;

// Each step is a bijection of the state, so a single altered word always changes the result.
std::uint64_t checksum(ByteView bytes)
{
  std::uint64_t state = odd * (bytes.size() + 1);
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof(word), bytes.size() - at));
    state = std::rotl((state ^ word) * odd, 29);
  }
  return state;
}

}  // namespace

void write_numbered(const NumberedDatagram & datagram, MutableBytes out)
{
  Layout layout{
    0,
    magic,
    datagram.run,
    datagram.direction,
    datagram.number,
    datagram.sent.time_since_epoch().count()};
  std::uint64_t word = datagram.number;
  for (std::size_t at = sizeof(layout); at < out.size(); at += sizeof(word)) {
    word = word * odd + 1;
    std::memcpy(out.data() + at, &word, std::min(sizeof(word), out.size() - at));
  }
  std::memcpy(out.data(), &layout, sizeof(layout));
  layout.check = checksum(out.subspan(sizeof(layout.check)));
  std::memcpy(out.data(), &layout.check, sizeof(layout.check));
}

std::optional<NumberedDatagram> read_numbered(ByteView bytes)
{
  Layout layout;
  if (bytes.size() < sizeof(layout)) {
    return std::nullopt;
  }
  std::memcpy(&layout, bytes.data(), sizeof(layout));
  if (layout.magic != magic || layout.check != checksum(bytes.subspan(sizeof(layout.check)))) {
    return std::nullopt;
  }
  return NumberedDatagram{
    layout.run, layout.direction, layout.number, Instant(Duration(layout.sent_ns))};
}

}  // namespace pqc_tunnel::blaster
