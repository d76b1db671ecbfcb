// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__PAIR__TRAFFIC_HPP_
#define SUPPORT__PAIR__TRAFFIC_HPP_

#include <map>
#include <vector>

#include "support/pair/wired_pair.hpp"

namespace pqc_tunnel::test
{

// A datagram that contains its number, of any size from four bytes; shorter ones are its first bytes.
inline Bytes numbered(std::uint32_t n, std::size_t size = 40)
{
  Bytes bytes(size, static_cast<std::uint8_t>(n * 31 & 0x7f));  // like no frames of MAVLink
  for (std::size_t i = 0; i < 4 && i < size; ++i) {
    bytes[i] = static_cast<std::uint8_t>(n >> (8 * i));
  }
  return bytes;
}

// Numbered datagrams both ways, at a fixed interval, with an account of what arrived.
class Traffic
{
public:
  explicit Traffic(WiredPair & pair) : pair_(pair) {}

  // One datagram each way every `interval`, for as long.
  void run_for(Duration duration, Duration interval = std::chrono::milliseconds(1))
  {
    run_until([] { return false; }, duration, interval);
  }
  // … until the condition holds.
  bool run_until(
    const std::function<bool()> & condition, Duration limit = std::chrono::seconds(60),
    Duration interval = std::chrono::milliseconds(1))
  {
    const Instant end = pair_.now() + limit;
    while (!condition() && pair_.now() < end) {
      for (const Side from : both_sides) {
        if (pair_.send(from, numbered(next_))) {
          sent_[from].push_back(next_);
        }
      }
      ++next_;
      pair_.run_for(interval);
    }
    return condition();
  }

  std::size_t sent(Side from) { return sent_[from].size(); }

  // Everything arrived once, unchanged and in order; call it when nothing is on its way any more.
  bool arrived_exactly(Side to) { return arrived(to) == sent_[other(to)]; }
  // Nothing arrived twice, changed, or without having been sent.
  bool arrived_at_most_once(Side to)
  {
    auto numbers = arrived(to);
    std::ranges::sort(numbers);
    return std::ranges::adjacent_find(numbers) == numbers.end() &&
           std::ranges::includes(sent_[other(to)], numbers);
  }

private:
  // Numbers in the order of arrival; an altered datagram becomes a number never sent.
  std::vector<std::uint32_t> arrived(Side to)
  {
    std::vector<std::uint32_t> numbers;
    for (const Bytes & bytes : pair_.received(to)) {
      std::uint32_t n = 0;
      for (std::size_t i = 0; i < 4 && i < bytes.size(); ++i) {
        n |= static_cast<std::uint32_t>(bytes[i]) << (8 * i);
      }
      numbers.push_back(bytes == numbered(n) ? n : 0xffffffff);
    }
    return numbers;
  }

  WiredPair & pair_;
  std::uint32_t next_ = 0;
  std::map<Side, std::vector<std::uint32_t>> sent_;
};

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__PAIR__TRAFFIC_HPP_
