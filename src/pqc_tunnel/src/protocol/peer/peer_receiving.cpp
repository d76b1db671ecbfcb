// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// Opens the frames of a peer, takes what they prove, and handles the messages that do not concern the owner.

#include <algorithm>
#include <utility>

#include "link/shaping/bundle.hpp"
#include "peer.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr Duration superseded_interval = std::chrono::milliseconds(200);

std::int64_t nanoseconds(Instant instant) { return instant.time_since_epoch().count(); }

TimeResponse answer_to(const TimeRequest & request, Instant now)
{
  const std::int64_t time = nanoseconds(now);
  return {request.t1, time, time};
}

// True for a request that the peer may have given up since it sent the frame.
bool is_a_wish(const ControlBody & body)
{
  return std::holds_alternative<Notice>(body) || std::holds_alternative<RekeyRequest>(body) ||
         std::holds_alternative<Erase>(body);
}

// True for a message that concerns only the session of its keys. At the ground SUPERSEDED concerns an older one.
bool is_of_one_session(const ControlBody & body, Role receiver)
{
  return std::holds_alternative<StreamAck>(body) || std::holds_alternative<Wiped>(body) ||
         (receiver == Role::drone && std::holds_alternative<Superseded>(body));
}

}  // namespace

// --- Opening ---

[[gnu::hot]] Peer::Received Peer::open(
  const FrameHeader & header, MutableBytes datagram, const Endpoint & from, bool restore,
  Instant now)
{
  Received received;
  const Opened opened = keys_.open(header, datagram, restore, now);
  received.drop = opened.frame.drop;
  if (opened.keys == nullptr) [[unlikely]] {
    if (received.drop == Drop::replay) {
      link_.estimator().handle_duplicate();
    }
    return received;
  }
  if (keys_.is_former_boot(*opened.keys)) [[unlikely]] {
    received.outdated = true;
    return received;
  }
  note_arrival(received, opened, datagram.size(), from, now);
  take_payload(received, opened, EpochKeys::payload(datagram), from, now);
  if (has_boot()) [[unlikely]] {
    probe_boot(now);
  }
  if (paths().has_news()) [[unlikely]] {
    probe_paths(now);
  }
  return received;
}

[[gnu::hot]] void Peer::note_arrival(
  Received & received, const Opened & opened, std::size_t size, const Endpoint & from, Instant now)
{
  const EpochKeys & keys = *opened.keys;
  const std::uint64_t sequence = opened.frame.sequence;
  ++link_.traffic().cipher_in_packets;
  link_.traffic().cipher_in_bytes += size;
  if (keys_.offers_boot()) [[unlikely]] {
    received.chosen_boot = keys_.choose_boot(keys);
  }
  BootChannel * boot = keys_.boot();
  if (boot != nullptr && &keys == &boot->keys()) [[unlikely]] {
    received.channel = Channel::boot;
    boot->handle_frame(sequence == keys.highest_received(), size, from, now);
    return;
  }
  received.order = order_of(keys, sequence);
  link_.estimator().handle_packet(stream_of(keys), sequence, size, now);
  streams_.reassembly().note_keys(stream_of(keys));
  KeySlots & slots = keys_.slots();
  const SessionId session_before = slots.sending() ? slots.sending()->id() : SessionId{};
  received.proved = slots.note_received(keys);
  received.stale = opened.frame.stale;
  if (received.proved && boot != nullptr && keys.id() != session_before) [[unlikely]] {
    paths().use(boot->address(), now);
  }
  link_.note_arrival(received.stale, now);
  received.former = keys.id() != slots.sending()->id();
  if (received.former && own_role_ == Role::gcs) [[unlikely]] {
    tell_superseded(*opened.keys, from, now);
  }
  if (received.proved) [[unlikely]] {
    link_.note_alive(keys.installed());  // it answered what this end sent then
    slots.retire_older_at(
      now + std::clamp<Duration>(3 * link_.clock().rtt(), min_overlap, max_overlap),
      now + settings_.max_age);
    link_.end_exchange(now);
  }
  paths().handle_frame(from, received.order, size, now);
  if (received.stale && !received.former) [[unlikely]] {
    note_stretched("datagrams arrive", now);
  }
}

// Tells the sender of a frame under a replaced session so, under its keys. A drone with a newer session ignores it. An
// answer therefore shows a second drone that still uses the old session, rather than a late or delayed frame.
void Peer::tell_superseded(EpochKeys & keys, const Endpoint & to, Instant now)
{
  if (now < next_superseded_) {
    return;
  }
  next_superseded_ = now + superseded_interval;
  Routes routes;
  routes.add(to);
  const Bytes payload = encode(ControlFrame{0, Superseded{}});
  paths().handle_sent(to, frame_overhead + payload.size(), now);
  send_frame(&keys, FrameKind::control, payload, TrafficClass::unproved, routes, now);
}

void Peer::note_stretched(std::string_view what, Instant now)
{
  if (!link_.is_stretched(now)) {
    ask_for_time(now);  // an answer may improve the estimate of the peer's clock
  }
  link_.note_stretched(what, now);
}

void Peer::ask_for_time(Instant now, Channel channel)
{
  send_control({0, TimeRequest{nanoseconds(now)}}, now, channel);
}

[[gnu::hot]] void Peer::take_payload(
  Received & received, const Opened & opened, MutableBytes payload, const Endpoint & from,
  Instant now)
{
  const std::uint8_t kind = opened.frame.kind;
  const bool in_session = received.channel == Channel::session;
  const auto is = [&](FrameKind one) {
    return in_session && kind == static_cast<std::uint8_t>(one);
  };
  const bool of_control = is(FrameKind::control_fragment);
  const bool of_datagram = is(FrameKind::data) || is(FrameKind::bundle) || is(FrameKind::fragment);
  if (received.stale && (of_datagram || of_control)) [[unlikely]] {
    link_.traffic().count(Drop::stale);
    return;
  }
  if (is(FrameKind::fragment) || of_control) [[unlikely]] {
    const auto whole = take_fragment(opened, payload, now);
    if (!whole) {
      return;
    }
    payload = *whole;
  }
  if (of_datagram) [[likely]] {
    received.assembled = is(FrameKind::fragment);
    ++link_.traffic().plain_out_packets;
    link_.traffic().plain_out_bytes += payload.size();
    received.bundle = is(FrameKind::bundle);
    if (received.bundle) {
      unpack_bundle(payload, unpacked_);
      payload = unpacked_;
      received.assembled = true;
    }
    received.plaintext = payload;
    received.forward = true;
    return;
  }
  if (kind == static_cast<std::uint8_t>(FrameKind::stream)) {
    link_.traffic().stream_in_packets += in_session ? 1 : 0;
    if (received.former) {
      return;  // ids of messages begin anew in each session
    }
    if (const auto part = parse_stream_part(payload)) {
      received.lane = lane_of(part->id);
      // A pace says nothing of the rate of the link.
      if (in_session && class_of(received.channel, received.lane) == TrafficClass::stream) {
        paths().handle_stream_part(
          from.link, frame_overhead + payload.size(), link_.clock().min_rtt(), now);
      }
      count_key_traffic(received.channel, received.lane, frame_overhead + payload.size());
      received.message = streams(received.channel).in.handle_part(*part, now);
      pump(received.channel, now);
    } else {
      link_.traffic().count(Drop::malformed);
    }
    return;
  }
  if (kind != static_cast<std::uint8_t>(FrameKind::control) && !of_control) {
    link_.traffic().count(Drop::malformed);
    return;
  }
  ++link_.traffic().control_in;
  const auto control = decode_control(payload);
  if (control) {
    const bool of_stream = std::holds_alternative<StreamAck>(control->body);
    link_.traffic().stream_in_packets += in_session && of_stream ? 1 : 0;
    count_key_traffic(received.channel, control->body, frame_overhead + payload.size());
  }
  if (control && received.stale && is_a_wish(control->body)) {
    link_.traffic().count(Drop::stale);  // its sender repeats a request that it still has
    return;
  }
  if (!control || (received.former && is_of_one_session(control->body, own_role_))) {
    ++link_.traffic().control_ignored;
  } else if (!handle_own_control(*control, received, opened, from, now)) {
    received.control = control;
  }
}

bool Peer::handle_own_control(
  const ControlFrame & frame, const Received & received, const Opened & opened,
  const Endpoint & from, Instant now)
{
  const Channel channel = received.channel;
  if (const auto * ack = std::get_if<StreamAck>(&frame.body)) {
    streams(channel).out.handle_ack(*ack, now);
    pump(channel, now);
    return true;
  }
  if (const auto * request = std::get_if<PathRequest>(&frame.body)) {
    answer_probe(channel, request->nonce, from, now);
    return true;
  }
  if (const auto * response = std::get_if<PathResponse>(&frame.body)) {
    if (channel == Channel::session) {
      paths().handle_answer(response->nonce, from, now);
    } else {
      keys_.boot()->handle_answer(response->nonce, from, now);
    }
    return true;
  }
  if (const auto * request = std::get_if<TimeRequest>(&frame.body)) {
    send_control({0, answer_to(*request, now)}, now, channel);
    return true;
  }
  if (const auto * response = std::get_if<TimeResponse>(&frame.body)) {
    handle_time_response(*response, received, opened, now);
    return true;
  }
  if (channel == Channel::boot) {
    return false;
  }
  if (const auto * report = std::get_if<LinkReport>(&frame.body)) {
    handle_report(*report, received, opened, now);
    return true;
  }
  if (const auto * notice = std::get_if<Notice>(&frame.body)) {
    if (streams_.take_notice(now)) {
      outbox_.push(NoticeArrived{index_, *notice, now});
    } else {
      ++link_.traffic().control_ignored;
    }
    return true;
  }
  if (const auto * request = std::get_if<EchoRequest>(&frame.body)) {
    answer_echo(frame.transaction, *request, now);
    return true;
  }
  if (const auto * response = std::get_if<EchoResponse>(&frame.body)) {
    outbox_.push(EchoArrived{index_, frame.transaction, *response, now});
    return true;
  }
  return std::holds_alternative<Keepalive>(frame.body);
}

void Peer::handle_report(
  const LinkReport & report, const Received & received, const Opened & opened, Instant now)
{
  const EpochKeys * live = keys_.slots().sending();
  link_.handle_report(report.view, received.order, live, now);
  if (report.answer) {
    handle_time_response(*report.answer, received, opened, now);
  }
  if (report.question) {
    const TimeResponse answer = answer_to(*report.question, now);
    const auto reply =
      received.former ? std::nullopt : link_.take_reply(answer, live->clock()->answered(), now);
    send_control({0, reply ? ControlBody(*reply) : ControlBody(answer)}, now);
  }
}

void Peer::handle_time_response(
  const TimeResponse & response, const Received & received, const Opened & opened, Instant now)
{
  const Instant asked{Duration(response.t1)};
  if (response.t1 < 0 || asked > now) {
    return;  // not a question of this end
  }
  opened.keys->note_answer(opened.frame, asked, now);
  if (received.channel == Channel::boot) {
    return;
  }
  link_.handle_answer(response, keys_.slots().sending(), now);
  // Questions or answers are delayed, so frames in that direction are too.
  const Duration way = opened.keys->clock()->usual_way(settings_.max_age);
  if (now - asked > settings_.max_age + 2 * way && !received.former) {
    note_stretched("answers come", now);
  }
}

}  // namespace pqc_tunnel
