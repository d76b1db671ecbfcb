// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "peer_streams.hpp"

#include "protocol/streams/part_sizes.hpp"

namespace pqc_tunnel
{
namespace
{

std::size_t max_part(const TunnelSettings & settings)
{
  std::size_t frame = universal_payload;
  for (const LinkSettings & link : settings.paths.links) {
    frame = std::min(frame, link.mtu);
  }
  return std::min(frame - frame_overhead, settings.max_datagram);
}

}  // namespace

ChannelStreams::ChannelStreams(const TunnelSettings & settings) : out(max_part(settings)) {}

void PeerStreams::clear()
{
  notices_.clear();
  reset_session();
  reassembly_.clear();
}

void PeerStreams::set_pace(double bytes_per_s, StreamLane first)
{
  pace_ = bytes_per_s;
  session_.in.set_paced(pace_ > 0);
  if (pace_ == 0) {
    session_.out.set_pace({.first = first});
  }
}

void PeerStreams::use_link(const LinkSettings & link, std::optional<double> rate, bool queued)
{
  if (pace_ == 0) {
    return;
  }
  session_.out.set_pace(
    {pace_, overhead_on(link), paced_payload(link, pace_, rate), StreamLane::foreground, !queued});
}

PeerStreams::Next PeerStreams::next(ChannelStreams & channel, LaneSet lanes, Instant now)
{
  if (const auto ack = channel.in.take_ack(now, lanes)) {
    return *ack;
  }
  const auto part = channel.out.next(now, lanes);
  return part ? Next(*part) : Next();
}

PeerStreams::Next PeerStreams::next(ChannelStreams & channel, Instant now) const
{
  Next found;
  if (prompt_.has_room()) {
    found = next(channel, LaneSet::prompt, now);
  }
  if (std::holds_alternative<std::monostate>(found) && yielding_.has_room()) {
    found = next(channel, LaneSet::yielding, now);
  }
  return found;
}

void PeerStreams::note_queued(TrafficClass traffic, const Routes & routes)
{
  (traffic == TrafficClass::background ? yielding_ : prompt_).note_queued(routes);
}

void PeerStreams::Queues::note_queued(const Routes & routes)
{
  for (const Endpoint & to : routes) {
    auto & queue = waiting.at(to.link);
    queue = queue ? std::optional(*queue + 1) : queue;
  }
  const auto shortest = std::ranges::min_element(
    routes, {}, [this](const Endpoint & to) { return waiting.at(to.link).value_or(0); });
  link = shortest == routes.end() ? link : shortest->link;
}

bool PeerStreams::Queues::handle(std::uint8_t of, std::size_t count)
{
  const bool had_room = has_room();
  waiting.at(of) = count;
  return !had_room && has_room();
}

bool PeerStreams::handle_queue(std::uint8_t link, std::size_t waiting, std::size_t background)
{
  const bool prompt = prompt_.handle(link, waiting);
  return yielding_.handle(link, background) || prompt;
}

}  // namespace pqc_tunnel
