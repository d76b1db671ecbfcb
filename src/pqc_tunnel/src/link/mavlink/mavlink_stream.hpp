// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__LINK__MAVLINK__MAVLINK_STREAM_HPP_
#define PQC_TUNNEL__LINK__MAVLINK__MAVLINK_STREAM_HPP_

#include <cstddef>
#include <utility>

#include "base/bytes.hpp"
#include "base/endpoint.hpp"

namespace pqc_tunnel
{

// Finds MAVLink frames in the datagrams of one sender, even if a frame spans two of them: the bridge of a serial line
// sends whatever it has read so far. Sans-I/O.
class MavlinkStream
{
public:
  // Calls take(bytes, is_mavlink) for what the datagram completes, in order: whole frames, or bytes that belong to none.
  // An incomplete frame is held until the next datagram, so that no byte is lost or taken twice. Returns true if the
  // bytes live only until the next call; otherwise they are the datagram's.
  template <class Take>
  bool push(ByteView datagram, const Endpoint & sender, Take && take);

  // True once this sender is known to cut frames. Before that, what looks like the beginning of a frame may belong to a
  // datagram of another kind.
  bool cuts() const { return cut_frames_ >= enough; }

  // Drops the held bytes, which were passed on with their datagram. The bytes that complete them belong to no frame.
  void forget_held() { taken_ = held_.size(); }

private:
  static constexpr unsigned enough = 3;
  static constexpr std::size_t longest_noise = 600;  // more than two frames

  struct Piece
  {
    enum class Kind
    {
      frame,
      other,
      incomplete,
    };
    Kind kind;
    std::size_t size;
  };
  static Piece next_piece(ByteView rest);
  static bool is_whole(ByteView datagram);
  void note_frame(bool cut);
  void note_other(std::size_t size);

  Bytes held_;
  std::size_t taken_ = 0;  // bytes at the front that take() has had
  Endpoint sender_;
  unsigned cut_frames_ = 0;  // cut frames without much noise between them
  std::size_t noise_ = 0;    // bytes since the last frame
};

template <class Take>
bool MavlinkStream::push(ByteView datagram, const Endpoint & sender, Take && take)
{
  held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(taken_));
  taken_ = 0;
  if (held_.empty() && is_whole(datagram)) {
    sender_ = sender;
    note_frame(false);
    take(datagram, true);
    return false;
  }
  const bool did_cut = cuts();
  const std::size_t before = held_.size();
  const bool is_another = sender != std::exchange(sender_, sender);
  held_.insert(held_.end(), datagram.begin(), datagram.end());
  const ByteView all = held_;
  std::size_t other = 0;  // first byte that belongs to no frame
  std::size_t at = 0;
  const auto take_other = [&] {
    const std::size_t first = other < before && at > before ? before : at;
    for (const std::size_t end : {first, at}) {  // each piece within one datagram
      if (end > other) {
        take(all.subspan(other, end - other), false);
        note_other(end - other);
        other = end;
      }
    }
  };
  if (is_another && before > 0) {
    cut_frames_ = 0;
    at = before;
    take_other();
  }
  while (at < all.size()) {
    const Piece piece = next_piece(all.subspan(at));
    if (piece.kind == Piece::Kind::incomplete) {
      break;
    }
    if (piece.kind == Piece::Kind::frame) {
      take_other();
      take(all.subspan(at, piece.size), true);
      note_frame(at < before && at + piece.size > before);
      other = at + piece.size;
    }
    at += piece.size;
  }
  take_other();
  if (did_cut && !cuts() && at < all.size()) {
    at = all.size();  // its datagrams pass unchanged from now on
    take_other();
  }
  taken_ = at;
  return true;
}

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__MAVLINK__MAVLINK_STREAM_HPP_
