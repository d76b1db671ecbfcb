// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// Seals datagrams and control frames that no frame of the link holds in fragments, and reassembles them.

#include <algorithm>
#include <cstring>

#include "peer.hpp"

namespace pqc_tunnel
{

static_assert(sealed_header == frame_header_size && sealed_overhead == frame_overhead);

[[gnu::hot]] std::uint64_t Peer::stream_of(const EpochKeys & keys)
{
  std::uint64_t name = 0;
  std::memcpy(&name, keys.transcript().data(), sizeof(name));
  return name;
}

// Keys and sequence number of the first fragment identify the datagram. They never repeat, so fragments of two
// datagrams cannot be confused, but all fragments of one must be sealed under the same keys.
SealedFragment Peer::seal_fragment(
  MutableBytes frame, const FragmentPlace & place, FragmentOrigin & origin, Instant now,
  FrameKind kind)
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
  keys->seal(kind, frame, now);
  const bool ends_datagram = place.is_last && kind == FrameKind::fragment;
  count_sealed(*keys, frame.size(), ends_datagram ? 1 : 0);
  if (ends_datagram) {
    ++link_.traffic().plain_in_packets;
    link_.traffic().plain_in_bytes +=
      place.offset + frame.size() - frame_overhead - fragment_header;
  }
  return SealedFragment::sealed;
}

bool Peer::seal_in_fragments(
  ByteView datagram, std::size_t frame_size, Bytes & frames, Instant now, FrameKind kind)
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
    if (seal_fragment(frame, place, origin, now, kind) != SealedFragment::sealed) {
      return false;
    }
  }
  return true;
}

// Serves frames that no link holds, such as that of a ratchet with a one-time key on a radio.
void Peer::send_control_in_fragments(const ControlBody & body, ByteView payload, Instant now)
{
  const Routes to = routes(TrafficClass::control, 0, now);
  std::size_t longest = frame_overhead + payload.size();
  for (const Endpoint & one : to) {
    longest = std::min(longest, settings_.paths.links.at(one.link).mtu);
  }
  Bytes frames;
  if (
    to.empty() || payload.size() > longest_fragmented ||
    !seal_in_fragments(payload, longest, frames, now, FrameKind::control_fragment))
  {
    return;
  }
  count_key_traffic(Channel::session, body, frames.size() * to.size());
  for (ByteView rest = frames; !rest.empty();) {
    const ByteView frame = rest.first(std::min(longest, rest.size()));
    rest = rest.subspan(frame.size());
    for (const Endpoint & one : to) {
      paths().handle_sent(one, frame.size(), now);
      outbox_.push(
        SendDatagram{index_, one, Bytes(frame.begin(), frame.end()), TrafficClass::control});
    }
  }
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
