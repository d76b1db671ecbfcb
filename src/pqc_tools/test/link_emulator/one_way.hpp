// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef LINK_EMULATOR__ONE_WAY_HPP_
#define LINK_EMULATOR__ONE_WAY_HPP_

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "link_emulator/datagram_channel.hpp"

namespace pqc_tunnel::link_emulator
{

using std::chrono::milliseconds;

inline constexpr Instant start{std::chrono::hours(5)};

// One direction of a link with a datagram every `interval`; datagram i begins with i.
class OneWay
{
public:
  explicit OneWay(const ChannelSettings & settings, std::uint64_t seed = 1)
  : bottleneck_(settings), channel_(settings, bottleneck_, seed, start)
  {
  }

  static Bytes datagram(std::uint32_t number, std::size_t size = 100)
  {
    Bytes bytes(size, 0x5a);
    for (std::size_t i = 0; i < 4 && i < size; ++i) {
      bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
    }
    return bytes;
  }
  static std::uint32_t number_of(ByteView bytes)
  {
    return std::uint32_t{bytes[0]} | std::uint32_t{bytes[1]} << 8 | std::uint32_t{bytes[2]} << 16 |
           std::uint32_t{bytes[3]} << 24;
  }

  // Sends `count` datagrams and returns what comes out, to the last.
  std::vector<Delivery> carry(
    std::uint32_t count, Duration interval = milliseconds(3), std::size_t size = 100)
  {
    std::vector<Delivery> delivered;
    Instant now = start;
    for (std::uint32_t i = 0; i < count; ++i, now += interval) {
      take_until(now, delivered);
      channel_.handle_datagram(datagram(i, size), now);
    }
    take_until(Instant::max(), delivered);
    return delivered;
  }

  DatagramChannel & channel() { return channel_; }
  const DatagramCounters & counters() const { return channel_.counters(); }

private:
  void take_until(Instant now, std::vector<Delivery> & into)
  {
    while (auto delivery = channel_.poll_delivery(now)) {
      into.push_back(std::move(*delivery));
    }
  }

  Bottleneck bottleneck_;
  DatagramChannel channel_;
};

}  // namespace pqc_tunnel::link_emulator

#endif  // LINK_EMULATOR__ONE_WAY_HPP_
