// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "cobs.hpp"

#include <algorithm>

namespace pqc_tunnel
{

namespace
{

constexpr std::uint8_t longest_code = 0xff;  // 254 bytes follow without a zero after them

}  // namespace

void append_cobs(ByteView frame, Bytes & out)
{
  out.reserve(out.size() + cobs_bound(frame.size()));
  bool group_open = true;
  while (group_open) {
    const auto reach = frame.first(std::min<std::size_t>(frame.size(), longest_code - 1));
    const auto zero = std::find(reach.begin(), reach.end(), std::uint8_t{0});
    const auto length = static_cast<std::size_t>(zero - reach.begin());
    out.push_back(static_cast<std::uint8_t>(length + 1));
    out.insert(out.end(), reach.begin(), zero);
    const bool at_zero = zero != reach.end();
    frame = frame.subspan(length + (at_zero ? 1 : 0));
    // After a zero a group always follows, even an empty one; after a full group only if bytes are left.
    group_open = at_zero || !frame.empty();
  }
  out.push_back(0);
}

CobsDecoder::CobsDecoder(std::size_t max_frame) : max_frame_(max_frame)
{
  frame_.reserve(max_frame);
}

void CobsDecoder::reset()
{
  frame_.clear();
  left_ = 0;
  zero_due_ = complete_ = too_long_ = false;
}

std::optional<ByteView> CobsDecoder::next(ByteView & line)
{
  if (complete_) reset();
  while (!line.empty()) {
    const std::uint8_t byte = line.front();
    line = line.subspan(1);
    if (byte == 0) {
      if (const auto frame = end_frame()) return frame;
      continue;
    }
    if (left_ > 0) {
      --left_;
      put(byte);
      continue;
    }
    if (zero_due_) put(0);
    left_ = static_cast<std::uint8_t>(byte - 1);
    zero_due_ = byte != longest_code;
  }
  return std::nullopt;
}

std::optional<ByteView> CobsDecoder::end_frame()
{
  const bool broken = left_ > 0 || too_long_;
  if (broken) ++malformed_;
  if (broken || frame_.empty()) {
    reset();
    return std::nullopt;
  }
  complete_ = true;
  return ByteView(frame_);
}

void CobsDecoder::put(std::uint8_t byte)
{
  if (frame_.size() == max_frame_) {
    too_long_ = true;
    return;
  }
  frame_.push_back(byte);
}

}  // namespace pqc_tunnel
