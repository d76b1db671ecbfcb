// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__BYTE_RANGES_HPP_
#define PQC_TUNNEL__PROTOCOL__BYTE_RANGES_HPP_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pqc_tunnel
{

// The bytes from `begin` up to, not including, `end`.
struct ByteRange
{
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  friend bool operator==(const ByteRange &, const ByteRange &) = default;
};

// A set of byte positions as sorted ranges with gaps between them.
class ByteRanges
{
public:
  // Returns how many of the bytes were not in the set.
  std::uint32_t add(ByteRange added)
  {
    const auto first = std::ranges::find_if(
      ranges_, [&](const ByteRange & range) { return range.end >= added.begin; });
    auto last = first;
    std::uint32_t known = 0;
    ByteRange merged = added;
    for (; last != ranges_.end() && last->begin <= added.end; ++last) {
      const std::uint32_t begin = std::max(last->begin, added.begin);
      const std::uint32_t end = std::min(last->end, added.end);
      known += end > begin ? end - begin : 0;
      merged = {std::min(merged.begin, last->begin), std::max(merged.end, last->end)};
    }
    ranges_.insert(ranges_.erase(first, last), merged);
    return added.end - added.begin - known;
  }

  bool contains(ByteRange asked) const
  {
    return std::ranges::any_of(ranges_, [&](const ByteRange & range) {
      return range.begin <= asked.begin && asked.end <= range.end;
    });
  }

  // The range around a position of the set.
  ByteRange range_at(std::uint32_t position) const
  {
    const auto at = std::ranges::find_if(ranges_, [&](const ByteRange & range) {
      return range.begin <= position && position < range.end;
    });
    return at == ranges_.end() ? ByteRange{position, position} : *at;
  }

  // Everything before this position is in the set.
  std::uint32_t through() const
  {
    return !ranges_.empty() && ranges_.front().begin == 0 ? ranges_.front().end : 0;
  }

  const std::vector<ByteRange> & ranges() const { return ranges_; }

private:
  std::vector<ByteRange> ranges_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__BYTE_RANGES_HPP_
