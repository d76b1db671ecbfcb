// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__WIRE__NOTICE_HPP_
#define PQC_TUNNEL__PROTOCOL__WIRE__NOTICE_HPP_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/time.hpp"

namespace pqc_tunnel
{

// The subject of a notice. The protocol carries every kind, and what most kinds contain is a matter of the programs at
// both ends (docs/protocol.md). The tunnel reads the last two, and knows that whoever tells a decision is not silent.
enum class NoticeKind : std::uint8_t
{
  computer = 1,  // drone
  decision = 2,  // drone
  request = 3,   // GCS
  answer = 4,    // drone
  warning = 5,   // GCS
  policy = 6,    // the drone's tunnel: see PolicyNotice
  line = 7,      // drone: see DroneLines
};

// A few bytes from one end's programs to the other's, beside the datagrams. The protocol does not repeat a lost one:
// either the next one says more, or whoever asks asks again.
struct Notice
{
  static constexpr std::size_t max_size = 64;

  NoticeKind kind = {};
  std::array<std::uint8_t, max_size> bytes = {};
  std::size_t size = 0;

  ByteView content() const { return ByteView(bytes).first(size); }
  // Takes at most max_size bytes; false, and nothing is taken, if there are more.
  bool assign(ByteView content)
  {
    if (content.size() > max_size) {
      return false;
    }
    std::ranges::copy(content, bytes.begin());
    size = content.size();
    return true;
  }
};

// Between two notices of one kind; newer ones replace the one that waits.
inline constexpr Duration notice_interval = std::chrono::milliseconds(500);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__WIRE__NOTICE_HPP_
