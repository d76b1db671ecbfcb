// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "junk_datagrams.hpp"

#include <algorithm>
#include <cstring>

namespace pqc_tunnel::blaster
{

namespace
{

constexpr std::size_t frame_overhead = frame_header_size + tag_size;
constexpr std::size_t kinds_without_session = 3;
// The last sequence numbers of a key: no session reaches them before a rekey, so a receiver finds them neither used nor
// old, and only the tag shows the forgery.
constexpr std::uint64_t forged_sequences = std::uint64_t{1} << 20;

}  // namespace

JunkDatagrams::JunkDatagrams(
  std::size_t max_size, const std::optional<FrameHeader> & live, std::uint64_t seed)
: max_size_(std::max(max_size, frame_overhead)), live_(live), dice_(seed, 0)
{
}

std::size_t JunkDatagrams::write_next(MutableBytes out)
{
  const std::size_t kinds = live_ ? junk_names.size() : kinds_without_session;
  const auto kind = static_cast<JunkKind>(turn_++ % kinds);
  ++written_[static_cast<std::size_t>(kind)];
  const std::size_t size = draw_size(kind == JunkKind::random ? 1 : frame_overhead);
  fill(out.first(size));
  if (kind == JunkKind::random) {
    return size;
  }
  FrameHeader header = live_.value_or(FrameHeader{});
  if (kind == JunkKind::unknown || !live_) {
    fill(header.session.bytes);
  }
  header.sequence =
    kind == JunkKind::old ? 0 : max_packets_per_key - 1 - dice_.next() % forged_sequences;
  encode(header, out.first<frame_header_size>());
  return kind == JunkKind::truncated ? dice_.next() % frame_overhead : size;
}

void JunkDatagrams::fill(MutableBytes out)
{
  for (std::size_t at = 0; at < out.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t word = dice_.next();
    std::memcpy(out.data() + at, &word, std::min(sizeof(word), out.size() - at));
  }
}

}  // namespace pqc_tunnel::blaster
