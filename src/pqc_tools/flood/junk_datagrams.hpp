// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__FLOOD__JUNK_DATAGRAMS_HPP_
#define PQC_TOOLS__FLOOD__JUNK_DATAGRAMS_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "pqc_tunnel/base/bytes.hpp"
#include "pqc_tunnel/protocol/wire.hpp"

namespace pqc_tunnel::blaster
{

// What a stranger may send to an open port, by how far it comes.
enum class JunkKind : std::uint8_t
{
  random,     // of any bytes and any length
  truncated,  // a good header, cut short
  unknown,    // a good header of a session that doesn't exist
  old,        // the header of a frame seen long ago, if a live session was named
  forged,     // a good header of a live session, with a sequence number to come
};
inline constexpr std::array<const char *, 5> junk_names = {
  "random", "truncated", "unknown", "old", "forged"};

// The kinds in turn, each datagram of other bytes. Not random in any serious sense: it is to be fast.
class JunkDatagrams
{
public:
  // `live` is a header as the attacker may have overheard it: session, epoch and suite are used.
  JunkDatagrams(std::size_t max_size, const std::optional<FrameHeader> & live, std::uint64_t seed);

  // Writes the next one to the beginning of `out`, of at least max_size; its length.
  std::size_t write_next(MutableBytes out);

  std::uint64_t written(JunkKind kind) const { return written_[static_cast<std::size_t>(kind)]; }
  bool has_live_session() const { return live_.has_value(); }

private:
  std::uint64_t draw();
  std::size_t draw_size(std::size_t min) { return min + draw() % (max_size_ - min + 1); }
  void fill(MutableBytes out);

  std::size_t max_size_;
  std::optional<FrameHeader> live_;
  std::uint64_t state_;
  std::size_t turn_ = 0;
  std::array<std::uint64_t, junk_names.size()> written_ = {};
};

}  // namespace pqc_tunnel::blaster

#endif  // PQC_TOOLS__FLOOD__JUNK_DATAGRAMS_HPP_
