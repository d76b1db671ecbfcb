// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__FLOOD__JUNK_DATAGRAMS_HPP_
#define PQC_TOOLS__FLOOD__JUNK_DATAGRAMS_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "common/dice.hpp"
#include "pqc_tunnel/base/bytes.hpp"
#include "pqc_tunnel/protocol/wire.hpp"

namespace pqc_tunnel::blaster
{

// Datagrams of a stranger, in the order of the checks that reject them.
enum class JunkKind : std::uint8_t
{
  random,     // random bytes of random length in the form of no frame
  truncated,  // a valid header in a datagram that is too short
  unknown,    // a valid header with the id of no key
  hello,      // a hello of a drone that does not exist
  old,        // the header of an old frame under the live key, if one was given
  forged,     // a valid header of the live key with an unused sequence number
};
inline constexpr std::array<const char *, 6> junk_names = {"random", "truncated", "unknown",
                                                           "hello",  "old",       "forged"};
// The longest of the kinds without a length of its choice.
inline constexpr std::size_t min_junk_room = 144;

// Makes the kinds in turn, each datagram with other bytes. Fast rather than cryptographically random.
class JunkDatagrams
{
public:
  // `live` is the id of a key in use, as an eavesdropper knows it.
  JunkDatagrams(std::size_t max_size, const std::optional<FrameKeyId> & live, std::uint64_t seed);

  // Writes the next datagram to the beginning of `out`, which has at least max_size bytes and min_junk_room; returns
  // its length.
  std::size_t write_next(MutableBytes out);

  std::uint64_t written(JunkKind kind) const { return written_[static_cast<std::size_t>(kind)]; }

private:
  std::size_t draw_size(std::size_t min) { return min + dice_.next() % (max_size_ - min + 1); }
  FrameKeyId unknown_id();
  void fill(MutableBytes out);

  std::size_t max_size_;
  std::optional<FrameKeyId> live_;
  Dice dice_;
  std::size_t turn_ = 0;
  std::array<std::uint64_t, junk_names.size()> written_ = {};
};

}  // namespace pqc_tunnel::blaster

#endif  // PQC_TOOLS__FLOOD__JUNK_DATAGRAMS_HPP_
