// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__LINK__FRAMING__COBS_HPP_
#define PQC_TUNNEL__LINK__FRAMING__COBS_HPP_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.hpp"

namespace pqc_tunnel
{

// Consistent Overhead Byte Stuffing (Cheshire and Baker, 1999) delimits frames on a serial line. An encoded frame
// contains no zero, and a zero ends it, so that a receiver finds the next frame whatever came before.

// Returns the most bytes that a frame of `size` bytes takes on the line, including its delimiter.
constexpr std::size_t cobs_bound(std::size_t size) { return size + size / 254 + 2; }

// Appends the encoded frame and its delimiter.
void append_cobs(ByteView frame, Bytes & out);

// Finds the frames in bytes of the line that arrive in pieces of any size.
class CobsDecoder
{
public:
  // A frame of more than `max_frame` bytes is malformed.
  explicit CobsDecoder(std::size_t max_frame);

  // Consumes bytes from the front of `line` until a frame is complete or no byte is left. The frame is valid until the
  // next call. Empty frames are skipped, because a sender may send a zero at any time.
  std::optional<ByteView> next(ByteView & line);

  // Forgets an incomplete frame. Call it when the line was opened again.
  void reset();

  // Counts frames that were too long or cut off by a zero.
  std::uint64_t malformed() const { return malformed_; }

private:
  std::optional<ByteView> end_frame();
  void put(std::uint8_t byte);

  Bytes frame_;
  std::size_t max_frame_;
  std::uint64_t malformed_ = 0;
  std::uint8_t left_ = 0;  // bytes until the next code
  bool zero_due_ = false;  // a zero precedes the next group
  bool complete_ = false;
  bool too_long_ = false;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__FRAMING__COBS_HPP_
