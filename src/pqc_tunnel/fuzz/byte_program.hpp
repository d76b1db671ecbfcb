// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef BYTE_PROGRAM_HPP_
#define BYTE_PROGRAM_HPP_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"

namespace pqc_tunnel::fuzz
{

// A fuzzer's input read as a program: operations and their operands, byte by byte. Past its end everything is zero.
class ByteProgram
{
public:
  explicit ByteProgram(ByteView input) : left_(input) {}

  bool done() const { return left_.empty(); }

  std::uint8_t u8()
  {
    const ByteView one = bytes(1);
    return one.empty() ? std::uint8_t{0} : one[0];
  }
  std::size_t u16()
  {
    const std::size_t high = u8();
    return high << 8 | u8();
  }
  // One of `count` things.
  std::size_t pick(std::size_t count) { return u8() % count; }
  bool flag() { return (u8() & 1) != 0; }
  // At most that many of the bytes that are left.
  ByteView bytes(std::size_t count)
  {
    const ByteView taken = left_.first(std::min(count, left_.size()));
    left_ = left_.subspan(taken.size());
    return taken;
  }
  ByteView rest() { return bytes(left_.size()); }

private:
  ByteView left_;
};

// Changes one byte somewhere, if there is one.
inline void spoil(MutableBytes bytes, std::size_t place, std::uint8_t change)
{
  if (!bytes.empty()) {
    bytes[place % bytes.size()] ^= change;
  }
}

}  // namespace pqc_tunnel::fuzz

#endif  // BYTE_PROGRAM_HPP_
