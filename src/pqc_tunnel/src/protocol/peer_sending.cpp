// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// What leaves for a peer: sealed frames, by which path, and the parts of streams.

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "peer.hpp"

namespace pqc_tunnel
{
namespace
{

// A link that alternates between two addresses changes them with each datagram.
constexpr Duration roaming_report_interval = std::chrono::seconds(10);
// What a peer's report covers. What this end sent in that time is remembered, so longer ones and others in between would
// take memory as the peer likes.
constexpr Duration least_view = std::chrono::seconds(4);
constexpr Duration longest_view = std::chrono::minutes(1);
constexpr Duration least_spacing = std::chrono::milliseconds(50);
constexpr int wiped_copies = 3;
constexpr std::size_t notice_header = 1 + 4 + 1;               // type, transaction, kind
constexpr Duration exchange_memory = std::chrono::seconds(3);  // since its newest frame

bool is_of_exchange(const ControlBody & body)
{
  return std::holds_alternative<Confirm>(body) || std::holds_alternative<Ratchet>(body) ||
         std::holds_alternative<RatchetOk>(body);
}

}  // namespace

// --- Sealing ---

bool Peer::seal(FrameKind kind, std::size_t datagrams, MutableBytes frame, Instant now)
{
  const std::size_t size = frame.size() - frame_overhead;
  traffic_.plain_in_packets += datagrams;
  traffic_.plain_in_bytes += size;
  EpochKeys * keys = keys_.sending();
  if (keys == nullptr) {
    traffic_.count(Drop::no_session);
    return false;
  }
  if (size > settings_.max_datagram) {
    traffic_.count(Drop::oversize);
    return false;
  }
  if (!keys->seal(kind, frame, now)) {
    traffic_.count(Drop::no_session);
    return false;
  }
  ++traffic_.cipher_out_packets;
  traffic_.cipher_out_bytes += frame.size();
  return true;
}

Routes Peer::routes(TrafficClass traffic, std::size_t bytes, Instant now)
{
  const Routes routes = paths_.routes(traffic, bytes, now);
  for (const Endpoint & to : routes) {
    if (bytes > 0) {
      paths_.handle_sent(to, bytes, now);
    }
  }
  last_sent_ = now;
  return routes;
}

Routes Peer::routes_of(Channel channel, TrafficClass traffic, std::size_t bytes, Instant now)
{
  return channel == Channel::session ? routes(traffic, bytes, now) : boot_routes(now);
}

std::size_t Peer::send_frame(
  Channel channel, FrameKind kind, ByteView payload, TrafficClass traffic, const Routes & to,
  Instant now)
{
  return send_frame(
    channel == Channel::session ? keys_.sending()
    : boot_                     ? &boot_->keys
                                : nullptr,
    kind, payload, traffic, to, now);
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
    {  // who is there may not be the peer, which counts what it receives
      ++traffic_.cipher_out_packets;
      traffic_.cipher_out_bytes += datagram.size();
    }
    traffic_.stream_out_packets += traffic == TrafficClass::stream ? 1 : 0;
    outbox_.push(SendDatagram{index_, one, datagram, traffic});
    bytes += datagram.size();
  }
  return bytes;
}

void Peer::count_key_traffic(Channel channel, StreamClass kind, std::size_t bytes)
{
  if (channel == Channel::session) {
    (kind == StreamClass::foreground ? key_traffic_.exchange : key_traffic_.fetch) += bytes;
  }
}

void Peer::count_key_traffic(Channel channel, const ControlBody & body, std::size_t bytes)
{
  if (const auto * ack = std::get_if<StreamAck>(&body)) {
    count_key_traffic(channel, class_of(ack->id), bytes);
  } else if (std::holds_alternative<Want>(body) || std::holds_alternative<Later>(body)) {
    count_key_traffic(channel, StreamClass::background, bytes);
  } else if (is_of_exchange(body) || std::holds_alternative<Keepalive>(body)) {
    count_key_traffic(channel, StreamClass::foreground, bytes);
  }
}

void Peer::send_control(const ControlFrame & frame, Instant now, Channel channel)
{
  ++traffic_.control_out;
  const Bytes payload = encode(frame);
  const bool of_stream = std::holds_alternative<StreamAck>(frame.body);
  const TrafficClass traffic = of_stream ? TrafficClass::stream : TrafficClass::control;
  const std::size_t size = frame_overhead + payload.size();
  const Routes routes = routes_of(channel, traffic, size, now);
  count_key_traffic(
    channel, frame.body, send_frame(channel, FrameKind::control, payload, traffic, routes, now));
  if (of_stream) {
    note_queued(routes);
  }
  for (const Endpoint & to : routes) {
    // A peer that has moved may wait for an answer; on a slow link it does so for longer than for the proof.
    const bool copied = channel == Channel::session && !of_stream;
    if (const auto copy = copied ? paths_.take_copy(to.link, size, now) : std::nullopt) {
      Routes one;
      one.add(*copy);
      send_frame(channel, FrameKind::control, payload, TrafficClass::unproved, one, now);
    }
  }
  if (is_of_exchange(frame.body)) {
    note_exchange(now);
  }
}

void Peer::send_wiped(Instant now)
{
  const Bytes payload = encode(ControlFrame{0, Wiped{}});
  const Routes boot = boot_routes(now);
  const Routes session =
    keys_.empty() ? Routes{} : routes(TrafficClass::control, frame_overhead + payload.size(), now);
  for (int copy = 0; copy < wiped_copies; ++copy) {
    ++traffic_.control_out;
    send_frame(keys_.sending(), FrameKind::control, payload, TrafficClass::control, session, now);
    send_frame(Channel::boot, FrameKind::control, payload, TrafficClass::control, boot, now);
    send_frame(
      keys_.pending()[0].keys.get(), FrameKind::control, payload, TrafficClass::control,
      boot.empty() ? session : boot, now);
  }
}

bool Peer::send_notice(const Notice & notice, Instant now)
{
  if (keys_.sending() == nullptr || !notices_.offer(notice, now)) {
    return false;
  }
  pump_notices(now);
  return true;
}

void Peer::pump_notices(Instant now)
{
  while (const auto notice = notices_.take(now)) {
    send_control({0, *notice}, now);
    const auto link = paths_.slowest(TrafficClass::control);
    const std::size_t frame = frame_overhead + notice_header + notice->size;
    if (link) {
      notices_.handle_sent(link->line_bytes(frame), link->rate * settings_.notice_airtime, now);
    } else {
      notices_.handle_sent(frame, std::nullopt, now);
    }
  }
}

// --- Paths ---

void Peer::use_address(const Endpoint & address, Instant now)
{
  paths_.use(address, now);
  probe_paths(now);
}

void Peer::probe_paths(Instant now)
{
  while (const auto probe = paths_.take_probe(now)) {
    send_probe(Channel::session, *probe, now);
  }
  report_changes(now);
}

void Peer::send_probe(Channel channel, const PathProbe & probe, Instant now)
{
  Routes to;
  to.add(probe.to);
  const Bytes payload = encode(ControlFrame{0, PathRequest{probe.nonce}});
  const TrafficClass traffic = probe.proved ? TrafficClass::control : TrafficClass::unproved;
  paths_.handle_sent(probe.to, frame_overhead + payload.size(), now);
  send_frame(channel, FrameKind::control, payload, traffic, to, now);
}

// The answer takes the path of the request. An address that has not proved itself gets an answer as far as it may get anything.
void Peer::answer_probe(Channel channel, std::uint64_t nonce, const Endpoint & from, Instant now)
{
  const Bytes payload = encode(ControlFrame{0, PathResponse{nonce}});
  const std::size_t size = frame_overhead + payload.size();
  std::optional<TrafficClass> traffic;
  if (channel == Channel::session) {
    traffic = paths_.take_answer(from, size, now);
  } else if (is_boot_address(from)) {
    traffic = TrafficClass::control;
  } else if (Candidates * known = boot_candidates(from.link);
             known && known->spend(from, size, now)) {
    traffic = TrafficClass::unproved;
  }
  if (traffic) {
    Routes to;
    to.add(from);
    paths_.handle_sent(from, size, now);
    send_frame(channel, FrameKind::control, payload, *traffic, to, now);
  }
}

void Peer::report_changes(Instant now)
{
  const EpochKeys * keys = keys_.sending();
  while (const auto change = paths_.take_change()) {
    if (change->kind == PathChange::Kind::moved) {
      report_moved(now);
    } else if (change->kind == PathChange::Kind::crowded) {
      report(
        EventKind::refused, now,
        "link " + settings_.paths.links[change->link].name +
          ": frames of the peer come from addresses that do not answer, which get no more than " +
          std::to_string(std::lround(Candidates::rate(settings_.paths.links[change->link]))) +
          " bytes per second (somebody repeats the frames)");
    } else if (settings_.paths.links.size() > 1 && keys != nullptr) {
      const bool up = change->kind == PathChange::Kind::up;
      report(
        EventKind::link_changed, now,
        "link " + settings_.paths.links[change->link].name + (up ? " is up" : " is down"),
        &keys->suite(), keys->epoch(), up ? EventSeverity::info : EventSeverity::warning);
    }
  }
}

void Peer::report_moved(Instant now)
{
  ++roamings_;
  const EpochKeys * keys = keys_.sending();
  if (now < next_roaming_report_ || keys == nullptr) {
    return;
  }
  next_roaming_report_ = now + roaming_report_interval;
  std::string text = "the peer answers at another address";
  if (roamings_ > 1) {
    text += " (it has changed " + std::to_string(roamings_) + " times since the last report)";
  }
  roamings_ = 0;
  report(EventKind::roamed, now, text, &keys->suite(), keys->epoch());
}

// --- The rate of a link that nobody has configured ---

bool Peer::seeks_rate() const
{
  const auto & links = settings_.paths.links;
  return settings_.find_rate && links.size() == 1 && !links[0].is_thin() &&
         links[0].type == LinkType::udp;
}

void Peer::note_exchange(Instant now)
{
  // How long its frames will wait; without data before them it would only add bytes.
  if (!exchange_sent_ && seeks_rate() && traffic_.plain_in_packets > reported_data_) {
    next_report_ = now;
  }
  exchange_sent_ = now;
}

// How long the question took, by the clocks of both ends: the way of the answer tells nothing of what this end sends.
void Peer::note_delay(const TimeResponse & response, Instant now)
{
  if (response.t2 >= 0) {
    saturation_.handle_delay(Duration(response.t2 - response.t1), now);
    use_found_rate(now);
  }
}

// What this end has sent in the time that the report covers, beside what of it has arrived.
void Peer::look_for_saturation(const LinkView & received, Instant now)
{
  const bool too_soon = !offered_.empty() && now < offered_.back().at + least_spacing;
  if (!seeks_rate() || too_soon || received.window > longest_view) {
    return;
  }
  const LinkSettings & link = settings_.paths.links[0];
  const std::size_t header = link.line_bytes(0);
  offered_.push_back({now, traffic_.cipher_out_bytes + header * traffic_.cipher_out_packets});
  while (offered_.size() > 2 && offered_[1].at <= now - received.window) {
    offered_.pop_front();
  }
  const std::chrono::duration<double> time = now - offered_.front().at;
  if (received.window < least_view || time < least_view) {
    return;
  }
  const auto sent = static_cast<double>(offered_.back().line_bytes - offered_.front().line_bytes);
  saturation_.handle_delivery(
    {sent / time.count(),
     received.bytes_per_s + static_cast<double>(header) * received.packets_per_s},
    now);
  use_found_rate(now);
}

void Peer::use_found_rate(Instant now)
{
  if (exchange_sent_ && now >= *exchange_sent_ + exchange_memory) {
    exchange_sent_.reset();
  }
  saturation_.set_exchanging(exchange_sent_.has_value(), now);
  paths_.set_found_rate(0, found_rate());
  const EpochKeys * keys = keys_.sending();
  if (told_saturated_ == saturation_.limits() || keys == nullptr) {
    return;
  }
  told_saturated_ = saturation_.limits();
  const std::string text = told_saturated_
                             ? "the link is saturated: it is limited to what it delivers"
                             : "the link is no longer saturated";
  report(EventKind::link_changed, now, text, &keys->suite(), keys->epoch(), EventSeverity::info);
}

// --- Streams ---

std::size_t Peer::max_part() const
{
  std::size_t frame = universal_payload;
  for (const LinkSettings & link : settings_.paths.links) {
    frame = std::min(frame, link.mtu);
  }
  return std::min(frame - frame_overhead, settings_.max_datagram);
}

Peer::Streams * Peer::streams(Channel channel) const
{
  return channel == Channel::session ? session_streams_.get() : &boot_->streams;
}

void Peer::send_message(Channel channel, StreamClass kind, Bytes message, Instant now)
{
  const bool densely =
    channel == Channel::session && kind == StreamClass::foreground && repeats_densely(now);
  streams(channel)->out.send(kind, std::move(message), now, densely ? retry_time(now) : Duration{});
  pump(channel, now);
}

void Peer::expect_message(Channel channel, StreamClass kind, std::size_t max_size)
{
  streams(channel)->in.expect(kind, max_size);
}

std::size_t Peer::message_bytes(Channel channel, StreamClass kind) const
{
  if (channel == Channel::boot && !boot_) {
    return 0;
  }
  return streams(channel)->out.message_bytes(kind);
}

std::size_t Peer::message_bytes_arriving() const
{
  return session_streams_->in.message_bytes() + (boot_ ? boot_->streams.in.message_bytes() : 0);
}

Instant Peer::stream_progress(Channel channel) const
{
  const Streams & both = *streams(channel);
  return std::max(both.out.last_progress(), both.in.last_progress());
}

void Peer::reset_session_streams() { session_streams_ = std::make_unique<Streams>(max_part()); }

// Sends what the streams of the channel may send now.
void Peer::pump(Channel channel, Instant now)
{
  if (channel == Channel::boot ? boot_ == nullptr : keys_.sending() == nullptr) {
    return;
  }
  Streams & both = *streams(channel);
  while (has_stream_room()) {
    if (const auto ack = both.in.take_ack(now)) {
      send_control({0, *ack}, now, channel);
    } else if (const auto part = both.out.next(now)) {
      send_part(channel, *part, now);
    } else {
      return;
    }
  }
}

void Peer::send_part(Channel channel, const StreamPart & part, Instant now)
{
  const Bytes payload = encode(part);
  const Routes routes =
    routes_of(channel, TrafficClass::stream, frame_overhead + payload.size(), now);
  count_key_traffic(
    channel, class_of(part.id),
    send_frame(channel, FrameKind::stream, payload, TrafficClass::stream, routes, now));
  if (class_of(part.id) == StreamClass::foreground) {
    note_exchange(now);
  }
  note_queued(routes);
}

void Peer::note_queued(const Routes & routes)
{
  for (const Endpoint & to : routes) {
    auto & queue = stream_queues_.at(to.link);
    queue = queue ? std::optional(*queue + 1) : queue;
  }
  const auto shortest = std::ranges::min_element(
    routes, {}, [this](const Endpoint & to) { return stream_queues_.at(to.link).value_or(0); });
  stream_link_ = shortest == routes.end() ? stream_link_ : shortest->link;
}

bool Peer::has_stream_room() const { return stream_queues_.at(stream_link_).value_or(0) == 0; }

bool Peer::handle_stream_queue(std::uint8_t link, std::size_t waiting, Instant now)
{
  const bool had_room = has_stream_room();
  stream_queues_.at(link) = waiting;
  if (had_room || !has_stream_room()) {
    return false;
  }
  pump(Channel::boot, now);
  pump(Channel::session, now);
  return true;
}

}  // namespace pqc_tunnel
