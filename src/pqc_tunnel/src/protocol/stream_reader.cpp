// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "stream_reader.hpp"

#include <algorithm>
#include <utility>

#include "base/byte_io.hpp"

namespace pqc_tunnel
{

void StreamReader::expect(SizeRange first, std::optional<SizeRange> second)
{
  expected_[0] = first;
  expected_[1] = second;
}

StreamReader::Status StreamReader::feed(ByteView bytes)
{
  if (complete_ && !bytes.empty()) {
    return Status::refused;
  }
  const std::size_t of_length = std::min<std::size_t>(4 - length_.size(), bytes.size());
  length_.insert(
    length_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(of_length));
  bytes = bytes.subspan(of_length);
  if (length_.size() < 4) {
    return Status::incomplete;
  }
  if (of_length > 0) {
    const std::size_t size = ByteReader(length_).u32();
    const auto allows = [size](const auto & range) { return range && range->contains(size); };
    if (!std::ranges::any_of(expected_, allows)) {
      return Status::refused;
    }
    body_.reserve(size);
    missing_ = size;
  }
  const std::size_t taken = std::min(missing_, bytes.size());
  body_.insert(body_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
  missing_ -= taken;
  if (missing_ > 0) {
    return Status::incomplete;
  }
  complete_ = true;
  return taken < bytes.size() ? Status::refused : Status::message;
}

Bytes StreamReader::take()
{
  length_.clear();
  complete_ = false;
  return std::exchange(body_, {});
}

}  // namespace pqc_tunnel
