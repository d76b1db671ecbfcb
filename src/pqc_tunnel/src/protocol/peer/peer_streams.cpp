// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "peer_streams.hpp"

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

PeerStreams::Next PeerStreams::next(ChannelStreams & channel, Instant now) const
{
  if (!has_room()) {
    return {};
  }
  if (const auto ack = channel.in.take_ack(now)) {
    return *ack;
  }
  const auto part = channel.out.next(now);
  return part ? Next(*part) : Next();
}

void PeerStreams::note_queued(const Routes & routes)
{
  for (const Endpoint & to : routes) {
    auto & queue = queues_.at(to.link);
    queue = queue ? std::optional(*queue + 1) : queue;
  }
  const auto shortest = std::ranges::min_element(
    routes, {}, [this](const Endpoint & to) { return queues_.at(to.link).value_or(0); });
  link_ = shortest == routes.end() ? link_ : shortest->link;
}

bool PeerStreams::handle_queue(std::uint8_t link, std::size_t waiting)
{
  const bool had_room = has_room();
  queues_.at(link) = waiting;
  return !had_room && has_room();
}

}  // namespace pqc_tunnel
