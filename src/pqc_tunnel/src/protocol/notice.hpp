// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__NOTICE_HPP_
#define PQC_TUNNEL__PROTOCOL__NOTICE_HPP_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "pqc_tunnel/base/bytes.hpp"
#include "pqc_tunnel/base/time.hpp"

namespace pqc_tunnel
{

// What a notice is about. The protocol carries every kind; whoever takes them ignores those that it doesn't know.
enum class NoticeKind : std::uint8_t
{
  computer = 1,  // drone: see ComputerNotice
  decision = 2,  // drone: see DecisionNotice
};

// A few bytes from one end's programs to the other's, beside the datagrams. Not repeated when lost: the next one says
// more.
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

// Between two notices of one kind; more are refused.
inline constexpr Duration notice_interval = std::chrono::milliseconds(500);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__NOTICE_HPP_
