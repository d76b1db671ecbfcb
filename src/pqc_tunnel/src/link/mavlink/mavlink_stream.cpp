// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "mavlink_stream.hpp"

#include <algorithm>

#include "mavlink_class.hpp"

namespace pqc_tunnel
{

bool MavlinkStream::is_whole(ByteView datagram)
{
  while (take_mavlink_frame(datagram)) {
  }
  return datagram.empty();
}

// Checksum seeds are unknown here, so a frame counts as one if nothing or another frame follows it.
MavlinkStream::Piece MavlinkStream::next_piece(ByteView rest)
{
  auto at = std::ranges::find_if(rest, begins_mavlink);
  for (; at != rest.end(); at = std::find_if(at + 1, rest.end(), begins_mavlink)) {
    const ByteView here(at, rest.end());
    const std::size_t size = mavlink_frame_size(here);
    const ByteView after = here.subspan(std::min(size, here.size()));
    if (size > here.size() || (size > 0 && (after.empty() || mavlink_frame_size(after) > 0))) {
      break;
    }
  }
  if (at != rest.begin() || rest.empty()) {
    return {Piece::Kind::other, static_cast<std::size_t>(at - rest.begin())};
  }
  const std::size_t size = mavlink_frame_size(rest);
  return {size > rest.size() ? Piece::Kind::incomplete : Piece::Kind::frame, size};
}

void MavlinkStream::note_frame(bool cut)
{
  noise_ = 0;
  cut_frames_ += cut && !cuts() ? 1 : 0;
}

void MavlinkStream::note_other(std::size_t size)
{
  noise_ += size;
  cut_frames_ = noise_ > longest_noise ? 0 : cut_frames_;
}

}  // namespace pqc_tunnel
