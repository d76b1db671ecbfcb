// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__PAIR__STREAM_PARTS_HPP_
#define SUPPORT__PAIR__STREAM_PARTS_HPP_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "protocol/streams/stream_sender.hpp"

namespace pqc_tunnel::test
{

// All that may leave now.
inline std::vector<StreamPart> take_all(StreamSender & sender, Instant now)
{
  std::vector<StreamPart> parts;
  while (const auto part = sender.next(now)) {
    parts.push_back(*part);
  }
  return parts;
}

inline std::size_t bytes_of(const std::vector<StreamPart> & parts)
{
  std::size_t bytes = 0;
  for (const StreamPart & part : parts) {
    bytes += part.bytes.size();
  }
  return bytes;
}

inline StreamAck ack_of(const StreamPart & part, std::uint32_t through)
{
  StreamAck ack;
  ack.id = part.id;
  ack.newest = part.number;
  ack.through = through;
  return ack;
}

// Of these bytes alone.
inline StreamAck ack_of(const StreamPart & part)
{
  StreamAck ack = ack_of(part, 0);
  ack.ranges[0] = {part.offset, static_cast<std::uint32_t>(part.bytes.size())};
  ack.range_count = 1;
  return ack;
}

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__PAIR__STREAM_PARTS_HPP_
