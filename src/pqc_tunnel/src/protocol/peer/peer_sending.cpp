// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// Seals frames for a peer, chooses their paths, and sends parts of streams.

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "peer.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr int wiped_copies = 3;
constexpr double notice_airtime = 0.01;           // share of a link of known rate, each way
constexpr std::size_t notice_header = 1 + 4 + 1;  // type, transaction, kind
constexpr std::size_t echo_header = 1 + 4;

bool is_of_streams(TrafficClass traffic)
{
  return traffic == TrafficClass::stream || traffic == TrafficClass::background;
}

bool is_of_exchange(const ControlBody & body)
{
  return std::holds_alternative<Confirm>(body) || std::holds_alternative<Ratchet>(body) ||
         std::holds_alternative<RatchetOk>(body);
}

}  // namespace

// --- Sealing ---

[[gnu::hot]] bool Peer::seal(FrameKind kind, std::size_t datagrams, MutableBytes frame, Instant now)
{
  const std::size_t size = frame.size() - frame_overhead;
  link_.traffic().plain_in_packets += datagrams;
  link_.traffic().plain_in_bytes += size;
  EpochKeys * keys = keys_.slots().sending();
  if (keys == nullptr) [[unlikely]] {
    link_.traffic().count(Drop::no_session);
    return false;
  }
  if (size > settings_.max_datagram) [[unlikely]] {
    link_.traffic().count(Drop::oversize);
    return false;
  }
  if (!keys->seal(kind, frame, now)) [[unlikely]] {
    link_.traffic().count(Drop::no_session);
    return false;
  }
  count_sealed(*keys, frame.size(), datagrams);
  return true;
}

[[gnu::hot]] void Peer::count_sealed(
  const EpochKeys & keys, std::size_t bytes, std::size_t datagrams)
{
  TrafficCounters & traffic = link_.traffic();
  ++traffic.cipher_out_packets;
  traffic.cipher_out_bytes += bytes;
  (keys.families() > 1 ? traffic.two_families_packets : traffic.one_family_packets) += datagrams;
}

[[gnu::hot]] Routes Peer::routes(TrafficClass traffic, std::size_t bytes, Instant now)
{
  const Routes routes = paths().routes(traffic, bytes, now);
  for (const Endpoint & to : routes) {
    if (bytes > 0) {
      paths().handle_sent(to, bytes, now);
    }
  }
  link_.note_sent(now);
  return routes;
}

Routes Peer::boot_routes(Instant now) const
{
  return has_boot() ? keys_.boot()->routes(now) : Routes();
}

Routes Peer::routes_of(Channel channel, TrafficClass traffic, std::size_t bytes, Instant now)
{
  return channel == Channel::session ? routes(traffic, bytes, now) : boot_routes(now);
}

std::size_t Peer::send_frame(
  EpochKeys * keys, FrameKind kind, ByteView payload, TrafficClass traffic, const Routes & to,
  Instant now)
{
  if (keys == nullptr || to.empty()) {
    return 0;
  }
  Bytes datagram(frame_overhead + payload.size());
  std::ranges::copy(payload, datagram.begin() + frame_header_size);
  if (!keys->seal(kind, datagram, now)) {
    return 0;
  }
  std::size_t bytes = 0;
  for (const Endpoint & one : to) {
    if (traffic != TrafficClass::unproved)
    {  // an unproved address may not be the peer, whose reports count what it receives
      ++link_.traffic().cipher_out_packets;
      link_.traffic().cipher_out_bytes += datagram.size();
    }
    link_.traffic().stream_out_packets += is_of_streams(traffic) ? 1 : 0;
    outbox_.push(SendDatagram{index_, one, datagram, traffic});
    bytes += datagram.size();
  }
  return bytes;
}

void Peer::count_key_traffic(Channel channel, StreamLane lane, std::size_t bytes)
{
  if (channel == Channel::session) {
    (is_background(lane) ? key_traffic_.fetch : key_traffic_.exchange) += bytes;
  }
}

void Peer::count_key_traffic(Channel channel, const ControlBody & body, std::size_t bytes)
{
  if (const auto * ack = std::get_if<StreamAck>(&body)) {
    count_key_traffic(channel, lane_of(ack->id), bytes);
  } else if (std::holds_alternative<Want>(body) || std::holds_alternative<Later>(body)) {
    count_key_traffic(channel, StreamLane::first, bytes);
  } else if (is_of_exchange(body) || std::holds_alternative<Keepalive>(body)) {
    count_key_traffic(channel, StreamLane::foreground, bytes);
  }
}

void Peer::send_control(const ControlFrame & frame, Instant now, Channel channel)
{
  ++link_.traffic().control_out;
  const Bytes payload = encode(frame);
  const auto * const ack = std::get_if<StreamAck>(&frame.body);
  const bool of_stream = ack != nullptr;
  const TrafficClass traffic =
    of_stream ? class_of(channel, lane_of(ack->id)) : TrafficClass::control;
  const std::size_t size = frame_overhead + payload.size();
  const Routes routes = routes_of(channel, traffic, size, now);
  if (routes.empty() && channel == Channel::session) {
    send_control_in_fragments(frame.body, payload, now);
  }
  count_key_traffic(
    channel, frame.body,
    send_frame(keys_.sending(channel), FrameKind::control, payload, traffic, routes, now));
  if (of_stream) {
    streams_.note_queued(traffic, routes);
  }
  for (const Endpoint & to : routes) {
    // A peer that has moved may need an answer before its new address is proved, which takes long on a slow link.
    const bool copied = channel == Channel::session && !of_stream;
    if (const auto copy = copied ? paths().take_copy(to.link, size, now) : std::nullopt) {
      Routes one;
      one.add(*copy);
      send_frame(
        keys_.sending(channel), FrameKind::control, payload, TrafficClass::unproved, one, now);
    }
  }
  if (is_of_exchange(frame.body)) {
    link_.note_exchange(now);
  }
}

void Peer::send_wiped(Instant now)
{
  const Bytes payload = encode(ControlFrame{0, Wiped{}});
  const Routes boot = boot_routes(now);
  const Routes session = keys_.slots().empty()
                           ? Routes{}
                           : routes(TrafficClass::control, frame_overhead + payload.size(), now);
  for (int copy = 0; copy < wiped_copies; ++copy) {
    ++link_.traffic().control_out;
    send_frame(
      keys_.slots().sending(), FrameKind::control, payload, TrafficClass::control, session, now);
    send_frame(
      keys_.sending(Channel::boot), FrameKind::control, payload, TrafficClass::control, boot, now);
    send_frame(
      keys_.slots().pending()[0].keys.get(), FrameKind::control, payload, TrafficClass::control,
      boot.empty() ? session : boot, now);
  }
}

bool Peer::send_notice(const Notice & notice, Instant now)
{
  if (keys_.slots().sending() == nullptr || !streams_.notices().offer(notice, now)) {
    return false;
  }
  pump_notices(now);
  return true;
}

void Peer::pump_notices(Instant now)
{
  while (const auto notice = streams_.notices().take(now)) {
    send_control({0, *notice}, now);
    const auto link = paths().slowest(TrafficClass::control);
    const std::size_t frame = frame_overhead + notice_header + notice->size;
    if (link) {
      streams_.notices().handle_sent(link->line_bytes(frame), link->rate * notice_airtime, now);
    } else {
      streams_.notices().handle_sent(frame, std::nullopt, now);
    }
  }
}

bool Peer::send_echo(const Echo & echo, Instant now)
{
  const std::size_t least = frame_overhead + echo_header;
  const std::size_t bytes = std::max(echo.frame_bytes, least);
  if (
    keys_.slots().sending() == nullptr || paths().routes(TrafficClass::control, bytes, now).empty())
  {
    return false;
  }
  send_control({echo.number, EchoRequest{static_cast<std::uint16_t>(bytes - least)}}, now);
  return true;
}

void Peer::answer_echo(std::uint32_t number, const EchoRequest & request, Instant now)
{
  EchoResponse response{echoes_.take(number), software_version(PQC_TUNNEL_VERSION), 0};
  const std::size_t padded = frame_overhead + echo_header + request.padding;
  if (
    request.padding > EchoResponse::fields &&
    !paths().routes(TrafficClass::control, padded, now).empty())
  {
    response.padding = static_cast<std::uint16_t>(request.padding - EchoResponse::fields);
  }
  send_control({number, response}, now);
}

// --- Paths ---

void Peer::use_address(const Endpoint & address, Instant now)
{
  paths().use(address, now);
  probe_paths(now);
}

[[gnu::hot]] void Peer::probe_paths(Instant now)
{
  while (const auto probe = paths().take_probe(now)) {
    send_probe(Channel::session, *probe, now);
  }
  report_changes(now);
}

[[gnu::hot]] void Peer::probe_boot(Instant now)
{
  if (!has_boot()) {
    return;
  }
  keys_.boot()->handle_timeout(link_.allowance(), now);
  while (const auto probe = keys_.boot()->take_probe(random_, now)) {
    send_probe(Channel::boot, *probe, now);
  }
}

void Peer::send_probe(Channel channel, const PathProbe & probe, Instant now)
{
  Routes to;
  to.add(probe.to);
  const Bytes payload = encode(ControlFrame{0, PathRequest{probe.nonce}});
  const TrafficClass traffic = probe.proved ? TrafficClass::control : TrafficClass::unproved;
  paths().handle_sent(probe.to, frame_overhead + payload.size(), now);
  send_frame(keys_.sending(channel), FrameKind::control, payload, traffic, to, now);
}

// Answers on the path of the request. An unproved address gets an answer only within its limit.
void Peer::answer_probe(Channel channel, std::uint64_t nonce, const Endpoint & from, Instant now)
{
  const Bytes payload = encode(ControlFrame{0, PathResponse{nonce}});
  const std::size_t size = frame_overhead + payload.size();
  std::optional<TrafficClass> traffic;
  if (channel == Channel::session) {
    traffic = paths().take_answer(from, size, now);
  } else if (keys_.boot()->is_known(from)) {
    traffic = TrafficClass::control;
  } else if (keys_.boot()->take_answer(from, size, now)) {
    traffic = TrafficClass::unproved;
  }
  if (traffic) {
    Routes to;
    to.add(from);
    paths().handle_sent(from, size, now);
    send_frame(keys_.sending(channel), FrameKind::control, payload, *traffic, to, now);
  }
}

// --- Streams ---

ChannelStreams & Peer::streams(Channel channel)
{
  return channel == Channel::session ? streams_.session() : keys_.boot()->streams();
}

const ChannelStreams & Peer::streams(Channel channel) const
{
  return channel == Channel::session ? streams_.session() : keys_.boot()->streams();
}

void Peer::send_message(Channel channel, StreamLane lane, Bytes message, Instant now)
{
  const bool densely =
    channel == Channel::session && !is_background(lane) && link_.repeats_densely(now);
  streams(channel).out.send(
    lane, std::move(message), now, densely ? link_.retry_time(now) : Duration{});
  pump(channel, now);
}

void Peer::set_background_pace(double bytes_per_s, StreamLane first, Instant now)
{
  streams_.set_pace(bytes_per_s, first);
  pump(Channel::session, now);
}

TrafficClass Peer::class_of(Channel channel, StreamLane lane) const
{
  return channel == Channel::session ? streams_.class_of(lane) : TrafficClass::stream;
}

void Peer::expect_message(Channel channel, StreamLane lane, std::size_t max_size)
{
  streams(channel).in.expect(lane, max_size);
}

std::size_t Peer::message_bytes(Channel channel, StreamLane lane) const
{
  if (channel == Channel::boot && !has_boot()) {
    return 0;
  }
  return streams(channel).out.message_bytes(lane);
}

std::size_t Peer::message_bytes_arriving() const
{
  return streams_.session().in.message_bytes() +
         (has_boot() ? keys_.boot()->streams().in.message_bytes() : 0);
}

// Sends what the streams of the channel may send now.
void Peer::pump(Channel channel, Instant now)
{
  if (keys_.sending(channel) == nullptr) {
    return;
  }
  if (channel == Channel::session && streams_.pace() > 0) {
    const LinkSettings & link = paths().stream_link();
    streams_.use_link(link, paths().stream_rate(), link.is_thin() || found_rate());
  }
  for (;;) {
    const auto next = streams_.next(streams(channel), now);
    if (const auto * ack = std::get_if<StreamAck>(&next)) {
      send_control({0, *ack}, now, channel);
    } else if (const auto * part = std::get_if<StreamPart>(&next)) {
      send_part(channel, *part, now);
    } else {
      return;
    }
  }
}

void Peer::send_part(Channel channel, const StreamPart & part, Instant now)
{
  const Bytes payload = encode(part);
  const StreamLane lane = lane_of(part.id);
  const TrafficClass traffic = class_of(channel, lane);
  const Routes routes = routes_of(channel, traffic, frame_overhead + payload.size(), now);
  count_key_traffic(
    channel, lane,
    send_frame(keys_.sending(channel), FrameKind::stream, payload, traffic, routes, now));
  if (!is_background(lane)) {
    link_.note_exchange(now);
  }
  streams_.note_queued(traffic, routes);
}

bool Peer::handle_stream_queue(
  std::uint8_t link, std::size_t waiting, std::size_t background, Instant now)
{
  if (!streams_.handle_queue(link, waiting, background)) {
    return false;
  }
  pump(Channel::boot, now);
  pump(Channel::session, now);
  return true;
}

}  // namespace pqc_tunnel
