// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// Seals datagrams that no frame holds in fragments, and reassembles them.

#include <algorithm>
#include <cstring>

#include "peer.hpp"

namespace pqc_tunnel
{

static_assert(sealed_header == frame_header_size && sealed_overhead == frame_overhead);

std::uint64_t Peer::stream_of(const EpochKeys & keys)
{
  std::uint64_t name = 0;
  std::memcpy(&name, keys.transcript().data(), sizeof(name));
  return name;
}

// Keys and sequence number of the first fragment identify the datagram. They never repeat, so fragments of two
// datagrams cannot be confused, but all fragments of one must be sealed under the same keys.
SealedFragment Peer::seal_fragment(
  MutableBytes frame, const FragmentPlace & place, FragmentOrigin & origin, Instant now)
{
  EpochKeys * keys = keys_.slots().sending();
  if (keys == nullptr || keys->used_up()) {
    link_.traffic().count(Drop::no_session);
    return SealedFragment::refused;
  }
  const FragmentOrigin here{stream_of(*keys), keys->sent()};
  if (place.offset == 0) {
    origin = here;
  }
  if (origin.keys != here.keys || here.sequence - origin.sequence > most_back) {
    return SealedFragment::begin_again;
  }
  write_fragment_header(
    frame.subspan<frame_header_size, fragment_header>(), place, here.sequence - origin.sequence);
  keys->seal(FrameKind::fragment, frame, now);
  count_sealed(*keys, frame.size(), place.is_last ? 1 : 0);
  if (place.is_last) {
    ++link_.traffic().plain_in_packets;
    link_.traffic().plain_in_bytes +=
      place.offset + frame.size() - frame_overhead - fragment_header;
  }
  return SealedFragment::sealed;
}

bool Peer::seal_in_fragments(ByteView datagram, std::size_t frame_size, Bytes & frames, Instant now)
{
  const std::size_t room = frame_size - frame_overhead - fragment_header;
  frames.clear();
  FragmentOrigin origin;
  for (std::size_t offset = 0; offset < datagram.size(); offset += room) {
    const ByteView bytes = datagram.subspan(offset, std::min(room, datagram.size() - offset));
    const std::size_t begin = frames.size();
    frames.resize(begin + frame_overhead + fragment_header + bytes.size());
    const MutableBytes frame = MutableBytes(frames).subspan(begin);
    std::ranges::copy(bytes, frame.begin() + frame_header_size + fragment_header);
    const FragmentPlace place{offset, offset + bytes.size() == datagram.size()};
    if (seal_fragment(frame, place, origin, now) != SealedFragment::sealed) {
      return false;
    }
  }
  return true;
}

std::optional<MutableBytes> Peer::take_fragment(
  const Opened & opened, ByteView payload, Instant now)
{
  const auto fragment = parse_fragment(payload);
  const std::uint64_t sequence = opened.frame.sequence;
  if (!fragment || fragment->back > sequence) {
    link_.traffic().count(Drop::malformed);
    return std::nullopt;
  }
  return streams_.reassembly().handle(
    {stream_of(*opened.keys), sequence - fragment->back}, *fragment, link_.traffic(), now);
}

}  // namespace pqc_tunnel
