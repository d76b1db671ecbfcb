// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__PEER__PEER_STREAMS_HPP_
#define PQC_TUNNEL__PROTOCOL__PEER__PEER_STREAMS_HPP_

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <variant>

#include "link/paths/path_set.hpp"
#include "notice_pacer.hpp"
#include "protocol/session/settings.hpp"
#include "protocol/session/token_bucket.hpp"
#include "protocol/streams/reassembly.hpp"
#include "protocol/streams/stream_receiver.hpp"
#include "protocol/streams/stream_sender.hpp"

namespace pqc_tunnel
{

// The streams of a channel, which carry messages too large for a frame.
struct ChannelStreams
{
  explicit ChannelStreams(const TunnelSettings & settings);

  // Returns when the foreground made progress last, in either direction.
  Instant last_progress() const
  {
    return std::max(out.last_progress(), in.progress(StreamLane::foreground).at);
  }
  Instant next_timeout(LaneSet lanes) const
  {
    return std::min(out.next_timeout(lanes), in.next_timeout(lanes));
  }

  StreamSender out;
  StreamReceiver in;
};

// Holds traffic that needs several frames or has to wait: the streams of the session, the queue state that all streams
// share, datagrams in fragments, and notices.
class PeerStreams
{
public:
  explicit PeerStreams(const TunnelSettings & settings)
  : settings_(settings), session_(settings), reassembly_(settings.max_age)
  {
  }

  ChannelStreams & session() { return session_; }
  const ChannelStreams & session() const { return session_; }
  void reset_session()
  {
    session_ = ChannelStreams(settings_);
    pace_ = 0;
  }
  // Sets the pace of the background of the session, in both directions: bytes per second on the line; 0: none, and this
  // lane goes first.
  void set_pace(double bytes_per_s, StreamLane first);
  double pace() const { return pace_; }
  // Applies the pace to the link that streams take now. `rate`: its bytes per second; none: unknown. `queued`: this end
  // queues what the link does not take.
  void use_link(const LinkSettings & link, std::optional<double> rate, bool queued);
  // Returns the class of frames of a lane.
  TrafficClass class_of(StreamLane lane) const
  {
    return pace_ > 0 && is_background(lane) ? TrafficClass::background : TrafficClass::stream;
  }
  Reassembly & reassembly() { return reassembly_; }
  NoticePacer & notices() { return notices_; }
  const NoticePacer & notices() const { return notices_; }
  // Returns whether a notice of the peer may be passed on.
  bool take_notice(Instant now) { return notice_tokens_.take(now); }
  // Drops everything that depends on the keys.
  void clear();

  // The next frame of the streams of a channel.
  using Next = std::variant<std::monostate, StreamAck, StreamPart>;
  Next next(ChannelStreams & channel, Instant now) const;
  Instant next_timeout(const ChannelStreams & channel) const
  {
    return std::min(
      prompt_.has_room() ? channel.next_timeout(LaneSet::prompt) : Instant::max(),
      yielding_.has_room() ? channel.next_timeout(LaneSet::yielding) : Instant::max());
  }
  // A frame of a stream has left by these routes.
  void note_queued(TrafficClass traffic, const Routes & routes);
  // Sets how many frames of streams and of the background wait in the queue before the link. Returns true if there is
  // room again.
  bool handle_queue(std::uint8_t link, std::size_t waiting, std::size_t background);

private:
  // Frames of one class in the queues before the links.
  struct Queues
  {
    bool has_room() const { return waiting.at(link).value_or(0) == 0; }
    void note_queued(const Routes & routes);
    bool handle(std::uint8_t of, std::size_t count);

    std::array<std::optional<std::size_t>, PathSettings::max_links> waiting = {};  // none: no queue
    // The link with the shortest queue among those that took the newest frame.
    std::uint8_t link = 0;
  };
  static Next next(ChannelStreams & channel, LaneSet lanes, Instant now);

  const TunnelSettings & settings_;
  ChannelStreams session_;
  Reassembly reassembly_;
  double pace_ = 0;
  Queues prompt_;
  Queues yielding_;
  NoticePacer notices_;
  // Allows twice as many notices as the peer's pacer, all kinds together.
  TokenBucket notice_tokens_{
    4 * NoticePacer::kinds, 2 * NoticePacer::kinds / in_seconds(notice_interval)};
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__PEER__PEER_STREAMS_HPP_
