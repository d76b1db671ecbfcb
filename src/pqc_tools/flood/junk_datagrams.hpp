// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__FLOOD__JUNK_DATAGRAMS_HPP_
#define PQC_TOOLS__FLOOD__JUNK_DATAGRAMS_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/dice.hpp"
#include "pqc_tunnel/base/bytes.hpp"
#include "pqc_tunnel/protocol/wire/wire.hpp"

namespace pqc_tunnel::blaster
{

// Kinds of a stranger's datagrams, in the order of the checks that reject them.
enum class JunkKind : std::uint8_t
{
  random,     // random bytes of random length that have no form of a frame
  truncated,  // a valid header in a datagram that is too short
  unknown,    // a valid header with the id of no key
  hello,      // a hello of a drone that does not exist
  old,        // the header of an old frame under the live key, if one was given
  forged,     // a valid header of the live key with an unused sequence number
  recorded,   // a genuine hello, recorded before
};
inline constexpr std::array<const char *, 7> junk_names = {
  "random", "truncated", "unknown", "hello", "old", "forged", "recorded"};
// Bytes of a ClientHello, the longest kind of a fixed length.
inline constexpr std::size_t hello_size = 152;

struct JunkPlan
{
  std::size_t max_size = 256;
  std::optional<FrameKeyId> live;  // id of a live key, which an eavesdropper sees
  std::vector<Bytes> recorded;     // hellos, each of hello_size bytes
  bool only_hellos = false;
};

// Makes the kinds of the plan in turn, each datagram with other bytes unless it is recorded. It is fast rather than
// cryptographically random.
class JunkDatagrams
{
public:
  JunkDatagrams(JunkPlan plan, std::uint64_t seed);

  // Writes the next datagram to the beginning of `out`, which has at least max_size bytes and hello_size; returns
  // its length.
  std::size_t write_next(MutableBytes out);

  std::uint64_t written(JunkKind kind) const { return written_[static_cast<std::size_t>(kind)]; }

private:
  std::size_t draw_size(std::size_t min) { return min + dice_.next() % (plan_.max_size - min + 1); }
  FrameKeyId unknown_id();
  void fill(MutableBytes out);

  JunkPlan plan_;
  std::vector<JunkKind> kinds_;
  Dice dice_;
  std::size_t turn_ = 0;
  std::array<std::uint64_t, junk_names.size()> written_ = {};
};

}  // namespace pqc_tunnel::blaster

#endif  // PQC_TOOLS__FLOOD__JUNK_DATAGRAMS_HPP_
