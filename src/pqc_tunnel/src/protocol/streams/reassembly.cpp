// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "reassembly.hpp"

#include <algorithm>
#include <tuple>

namespace pqc_tunnel
{

// A datagram that began under earlier keys does not count: its sender has sent all of it again since the keys changed.
void Reassembly::give_up(Partial & partial, TrafficCounters & counters) const
{
  if (partial.origin.keys == keys_) {
    counters.count(Drop::incomplete);
  }
  partial.here = {};
}

Reassembly::Partial & Reassembly::place_for(
  const FragmentOrigin & origin, TrafficCounters & counters)
{
  const auto known = std::ranges::find_if(partials_, [&origin](const Partial & partial) {
    return partial.is_used() && partial.origin == origin;
  });
  if (known != partials_.end()) {
    return *known;
  }
  Partial & place = *std::ranges::min_element(partials_, {}, [](const Partial & partial) {
    return std::tuple(partial.is_used(), partial.newest);
  });
  if (place.is_used()) {
    give_up(place, counters);
  }
  place.origin = origin;
  place.bytes.resize(longest_fragmented);
  place.size.reset();
  return place;
}

std::optional<MutableBytes> Reassembly::handle(
  const FragmentOrigin & origin, const Fragment & fragment, TrafficCounters & counters, Instant now)
{
  note_keys(origin.keys);
  handle_timeout(counters, now);
  Partial & partial = place_for(origin, counters);
  const std::size_t begin = fragment.place.offset;
  const std::size_t end = begin + fragment.bytes.size();
  const std::size_t known_end = partial.is_used() ? partial.here.ranges().back().end : 0;
  const std::size_t size = fragment.place.is_last ? end : partial.size.value_or(longest_fragmented);
  const bool fits = std::max(end, known_end) <= size && partial.size.value_or(size) == size;
  const std::uint32_t added =
    partial.here.add({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
  if (!fits || added != fragment.bytes.size()) {
    counters.count(Drop::malformed);
    partial.here = {};
    return std::nullopt;
  }
  std::ranges::copy(fragment.bytes, partial.bytes.begin() + static_cast<std::ptrdiff_t>(begin));
  partial.newest = now;
  if (fragment.place.is_last) {
    partial.size = end;
  }
  if (!partial.size || partial.here.through() != *partial.size) {
    return std::nullopt;
  }
  partial.here = {};
  return MutableBytes(partial.bytes).first(*partial.size);
}

void Reassembly::handle_timeout(TrafficCounters & counters, Instant now)
{
  for (Partial & partial : partials_) {
    if (partial.is_used() && now > partial.newest + patience_) {
      give_up(partial, counters);
    }
  }
}

void Reassembly::clear() { partials_ = {}; }

}  // namespace pqc_tunnel
