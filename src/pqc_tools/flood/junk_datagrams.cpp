// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "junk_datagrams.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace pqc_tunnel::blaster
{

namespace
{

// Sequence numbers so far ahead of a key's traffic that a receiver finds them neither used nor old, so that only the
// tag shows the forgery.
constexpr std::uint64_t forged_first = std::uint64_t{1} << 22;
constexpr std::uint64_t forged_sequences = std::uint64_t{1} << 20;
constexpr std::uint8_t form_bits = 0xc0;
constexpr std::uint8_t client_hello = 0x81;

std::vector<JunkKind> kinds_of(const JunkPlan & plan)
{
  std::vector<JunkKind> kinds;
  if (!plan.only_hellos) {
    kinds = {JunkKind::random, JunkKind::truncated, JunkKind::unknown};
  }
  kinds.push_back(JunkKind::hello);
  if (!plan.only_hellos && plan.live) {
    kinds.insert(kinds.end(), {JunkKind::old, JunkKind::forged});
  }
  if (!plan.recorded.empty()) {
    kinds.push_back(JunkKind::recorded);
  }
  return kinds;
}

}  // namespace

JunkDatagrams::JunkDatagrams(JunkPlan plan, std::uint64_t seed)
: plan_(std::move(plan)), kinds_(kinds_of(plan_)), dice_(seed, 0)
{
  plan_.max_size = std::max(plan_.max_size, frame_overhead);
}

std::size_t JunkDatagrams::write_next(MutableBytes out)
{
  const JunkKind kind = kinds_[turn_++ % kinds_.size()];
  const std::uint64_t before = written_[static_cast<std::size_t>(kind)]++;
  if (kind == JunkKind::recorded) {
    std::ranges::copy(plan_.recorded[before % plan_.recorded.size()], out.begin());
    return hello_size;
  }
  if (kind == JunkKind::hello) {
    fill(out.first(hello_size));
    out[0] = client_hello;
    out[1] = protocol_version;
    return hello_size;
  }
  const std::size_t size = draw_size(kind == JunkKind::random ? 1 : frame_overhead);
  fill(out.first(size));
  if (kind == JunkKind::random) {
    // Bits 01 and 10 are the forms of frames.
    out[0] = static_cast<std::uint8_t>(
      dice_.next() % 2 == 0 ? out[0] | form_bits : out[0] & ~unsigned{form_bits});
    return size;
  }
  const bool of_live_key = kind == JunkKind::old || kind == JunkKind::forged;
  encode(
    of_live_key ? *plan_.live : unknown_id(),
    kind == JunkKind::old ? 0 : forged_first + dice_.next() % forged_sequences,
    out.first<frame_header_size>());
  return kind == JunkKind::truncated ? 1 + dice_.next() % (frame_overhead - 1) : size;
}

FrameKeyId JunkDatagrams::unknown_id()
{
  std::array<std::uint8_t, 3> bytes{};
  do {
    fill(bytes);
  } while (frame_key_id(bytes) == plan_.live);
  return frame_key_id(bytes);
}

void JunkDatagrams::fill(MutableBytes out)
{
  for (std::size_t at = 0; at < out.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t word = dice_.next();
    std::memcpy(out.data() + at, &word, std::min(sizeof(word), out.size() - at));
  }
}

}  // namespace pqc_tunnel::blaster
