// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__STREAMS__BYTE_RANGES_HPP_
#define PQC_TUNNEL__PROTOCOL__STREAMS__BYTE_RANGES_HPP_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pqc_tunnel
{

// The bytes from `begin` up to but excluding `end`.
struct ByteRange
{
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  friend bool operator==(const ByteRange &, const ByteRange &) = default;
};

// A set of byte positions as sorted ranges with gaps between them. The number of ranges is limited, so that each call
// costs little whatever the other end sends.
class ByteRanges
{
public:
  // A window of 1,150 parts has 300 ranges at 40 % loss.
  static constexpr std::size_t max_ranges = 1024;

  // Adds the bytes and returns how many were new. Adds nothing and returns 0 if there would be one range too many.
  std::uint32_t add(ByteRange added)
  {
    const auto first = std::ranges::lower_bound(ranges_, added.begin, {}, &ByteRange::end);
    auto last = first;
    std::uint32_t known = 0;
    ByteRange merged = added;
    for (; last != ranges_.end() && last->begin <= added.end; ++last) {
      const std::uint32_t begin = std::max(last->begin, added.begin);
      const std::uint32_t end = std::min(last->end, added.end);
      known += end > begin ? end - begin : 0;
      merged = {std::min(merged.begin, last->begin), std::max(merged.end, last->end)};
    }
    if (first != last) {
      *first = merged;
      ranges_.erase(first + 1, last);
    } else if (ranges_.size() == max_ranges) {
      return 0;
    } else {
      ranges_.insert(first, merged);
    }
    return added.end - added.begin - known;
  }

  bool contains(ByteRange asked) const { return asked.end <= range_at(asked.begin).end; }

  // Returns the range of the set around a position; empty if the set lacks it.
  ByteRange range_at(std::uint32_t position) const
  {
    const auto at = std::ranges::upper_bound(ranges_, position, {}, &ByteRange::end);
    return at == ranges_.end() || position < at->begin ? ByteRange{position, position} : *at;
  }

  // Returns the position before which the set has all bytes.
  std::uint32_t through() const
  {
    return !ranges_.empty() && ranges_.front().begin == 0 ? ranges_.front().end : 0;
  }

  const std::vector<ByteRange> & ranges() const { return ranges_; }

private:
  std::vector<ByteRange> ranges_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__STREAMS__BYTE_RANGES_HPP_
