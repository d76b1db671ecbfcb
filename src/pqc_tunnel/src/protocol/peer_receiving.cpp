// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// What arrives from a peer: which keys open it, what it proves, and what a peer handles by itself.

#include <algorithm>
#include <utility>

#include "paths/bundle.hpp"
#include "peer.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr Duration stretched_memory = std::chrono::seconds(4);
constexpr Duration stretch_report_interval = std::chrono::seconds(10);
constexpr Duration superseded_interval = std::chrono::milliseconds(200);

std::int64_t nanoseconds(Instant instant) { return instant.time_since_epoch().count(); }

// What the peer wanted when it sent the frame, and may want no more.
bool is_a_wish(const ControlBody & body)
{
  return std::holds_alternative<Notice>(body) || std::holds_alternative<RekeyRequest>(body);
}

// Says nothing about a newer session than that of its keys. To the ground station, SUPERSEDED is about an older one.
bool is_of_one_session(const ControlBody & body, Role receiver)
{
  return std::holds_alternative<StreamAck>(body) || std::holds_alternative<Wiped>(body) ||
         (receiver == Role::drone && std::holds_alternative<Superseded>(body));
}

}  // namespace

// --- Opening ---

bool Peer::holds(FrameKeyId id) const
{
  return keys_.holds(id) || (boot_ && boot_->keys.receive_id() == id) ||
         (former_boot_ && former_boot_->keys.receive_id() == id) ||
         std::ranges::any_of(
           offered_boots_, [id](const auto & boot) { return boot->keys.receive_id() == id; });
}

// Several keys can have the same id; a failed try changes the bytes, so the next try gets a copy of the datagram.
Peer::Opened Peer::open_with_any(
  const FrameHeader & header, MutableBytes datagram, bool restore, Instant now)
{
  const auto of_session = keys_.candidates(header.key_id);
  std::array<EpochKeys *, KeySlots::max_candidates + 2 + max_challenges> candidates = {};
  auto end = std::ranges::copy_if(of_session, candidates.begin(), [](const EpochKeys * keys) {
               return keys != nullptr;
             }).out;
  for (const auto * boot : {&boot_, &former_boot_}) {
    if (*boot && (*boot)->keys.receive_id() == header.key_id) {
      *end++ = &(*boot)->keys;
    }
  }
  for (const auto & boot : offered_boots_) {
    if (boot->keys.receive_id() == header.key_id) {
      *end++ = &boot->keys;
    }
  }
  const bool several = restore || end - candidates.begin() > 1;
  if (several) {
    second_try_.assign(datagram.begin(), datagram.end());
  }
  Opened opened;
  opened.frame.drop = Drop::unknown;
  for (auto keys = candidates.begin(); keys != end; ++keys) {
    opened.frame = (*keys)->open(header, datagram, now);
    if (!opened.frame.drop) {
      opened.keys = *keys;
      return opened;
    }
    if (several) {
      std::ranges::copy(second_try_, datagram.begin());
    }
  }
  return opened;
}

Peer::Received Peer::open(
  const FrameHeader & header, MutableBytes datagram, const Endpoint & from, bool restore,
  Instant now)
{
  Received received;
  const Opened opened = open_with_any(header, datagram, restore, now);
  received.drop = opened.frame.drop;
  if (opened.keys == nullptr) {
    if (received.drop == Drop::replay) {
      link_.handle_duplicate();
    }
    return received;
  }
  if (former_boot_ && opened.keys == &former_boot_->keys) {
    received.outdated = true;
    return received;
  }
  note_arrival(received, opened, datagram.size(), from, now);
  take_payload(received, opened, EpochKeys::payload(datagram), from, now);
  probe_boot(now);
  probe_paths(now);
  return received;
}

void Peer::note_arrival(
  Received & received, const Opened & opened, std::size_t size, const Endpoint & from, Instant now)
{
  const EpochKeys & keys = *opened.keys;
  const std::uint64_t sequence = opened.frame.sequence;
  ++traffic_.cipher_in_packets;
  traffic_.cipher_in_bytes += size;
  received.chosen_boot = choose_boot(keys);
  if (boot_ && &keys == &boot_->keys) {
    received.channel = Channel::boot;
    note_boot_arrival(sequence == keys.highest_received(), size, from, now);
    return;
  }
  received.order = order_of(keys, sequence);
  link_.handle_packet(stream_of(keys), sequence, size, now);
  reassembly_.note_keys(stream_of(keys));
  const SessionId session_before = keys_.sending() ? keys_.sending()->id() : SessionId{};
  received.proved = keys_.note_received(keys);
  received.stale = opened.frame.stale;
  if (received.proved && boot_ && keys.id() != session_before) {
    paths_.use(boot_->to, now);
  }
  last_arrival_ = now;
  if (!received.stale) {
    last_heard_ = now;
  }
  received.former = keys.id() != keys_.sending()->id();
  if (received.former && own_role_ == Role::gcs) {
    tell_superseded(*opened.keys, from, now);
  }
  if (received.proved) {
    last_alive_ = std::max(last_alive_, keys.installed());  // it acted on what was sent then
    keys_.retire_older_at(
      now + std::clamp<Duration>(3 * clock_.rtt(), min_overlap, max_overlap),
      now + settings_.max_age);
    exchange_sent_.reset();
    saturation_.set_exchanging(false, now);
  }
  paths_.handle_frame(from, received.order, size, now);
  if (received.stale && !received.former) {
    note_stretched("datagrams arrive", now);
  }
}

// Tells whoever sends under a session that a newer one has replaced, under its own keys. A drone that has moved on ignores it;
// only one that still sends under that session answers, which a frame that was late, or held back, can't.
void Peer::tell_superseded(EpochKeys & keys, const Endpoint & to, Instant now)
{
  if (now < next_superseded_) {
    return;
  }
  next_superseded_ = now + superseded_interval;
  Routes routes;
  routes.add(to);
  const Bytes payload = encode(ControlFrame{0, Superseded{}});
  paths_.handle_sent(to, frame_overhead + payload.size(), now);
  send_frame(&keys, FrameKind::control, payload, TrafficClass::unproved, routes, now);
}

void Peer::note_stretched(std::string_view what, Instant now)
{
  const bool first = !is_stretched(now);
  stretched_until_ = now + stretched_memory;
  if (first) {
    ask_for_time(now);  // the peer's clock may be known less well than it could be
  }
  if (now >= next_stretch_report_) {
    next_stretch_report_ = now + stretch_report_interval;
    report(
      EventKind::link_stretched, now,
      (machine_trouble_.empty() ? "" : machine_trouble_ + "; ") + std::string(what) +
        " later than max_age_s allows: something holds them back");
  }
}

void Peer::ask_for_time(Instant now, Channel channel)
{
  send_control({0, TimeRequest{nanoseconds(now)}}, now, channel);
}

void Peer::take_payload(
  Received & received, const Opened & opened, MutableBytes payload, const Endpoint & from,
  Instant now)
{
  const std::uint8_t kind = opened.frame.kind;
  const bool in_session = received.channel == Channel::session;
  if (
    in_session && (kind == static_cast<std::uint8_t>(FrameKind::data) ||
                   kind == static_cast<std::uint8_t>(FrameKind::bundle) ||
                   kind == static_cast<std::uint8_t>(FrameKind::fragment)))
  {
    if (received.stale) {
      traffic_.count(Drop::stale);
      return;
    }
    received.assembled = kind == static_cast<std::uint8_t>(FrameKind::fragment);
    if (received.assembled) {
      const auto datagram = take_fragment(opened, payload, now);
      if (!datagram) {
        return;
      }
      payload = *datagram;
    }
    ++traffic_.plain_out_packets;
    traffic_.plain_out_bytes += payload.size();
    received.bundle = kind == static_cast<std::uint8_t>(FrameKind::bundle);
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
    traffic_.stream_in_packets += in_session ? 1 : 0;
    if (received.former) {
      return;  // each session counts its messages anew
    }
    if (const auto part = parse_stream_part(payload)) {
      if (in_session) {
        paths_.handle_stream_part(from.link, frame_overhead + payload.size(), now);
      }
      count_key_traffic(received.channel, class_of(part->id), frame_overhead + payload.size());
      received.message = streams(received.channel)->in.handle_part(*part, now);
      pump(received.channel, now);
    } else {
      traffic_.count(Drop::malformed);
    }
    return;
  }
  if (kind != static_cast<std::uint8_t>(FrameKind::control)) {
    traffic_.count(Drop::malformed);
    return;
  }
  ++traffic_.control_in;
  const auto control = decode_control(payload);
  if (control) {
    const bool of_stream = std::holds_alternative<StreamAck>(control->body);
    traffic_.stream_in_packets += in_session && of_stream ? 1 : 0;
    count_key_traffic(received.channel, control->body, frame_overhead + payload.size());
  }
  if (control && received.stale && is_a_wish(control->body)) {
    traffic_.count(Drop::stale);  // its sender repeats what it still wants
    return;
  }
  if (!control || (received.former && is_of_one_session(control->body, own_role_))) {
    ++traffic_.control_ignored;
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
    streams(channel)->out.handle_ack(*ack, now);
    pump(channel, now);
    return true;
  }
  if (const auto * request = std::get_if<PathRequest>(&frame.body)) {
    answer_probe(channel, request->nonce, from, now);
    return true;
  }
  if (const auto * response = std::get_if<PathResponse>(&frame.body)) {
    if (channel == Channel::session) {
      paths_.handle_answer(response->nonce, from, now);
    } else if (Candidates * asked = boot_candidates(from.link);
               asked && asked->handle_answer(response->nonce, from, now))
    {
      boot_->to = from;
    }
    return true;
  }
  if (const auto * request = std::get_if<TimeRequest>(&frame.body)) {
    const std::int64_t time = nanoseconds(now);
    send_control({0, TimeResponse{request->t1, time, time}}, now, channel);
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
    handle_report(report->view, received.order, now);
    return true;
  }
  if (const auto * notice = std::get_if<Notice>(&frame.body)) {
    if (notice_tokens_.take(now)) {
      outbox_.push(NoticeArrived{index_, *notice, now});
    } else {
      ++traffic_.control_ignored;
    }
    return true;
  }
  return std::holds_alternative<Keepalive>(frame.body);
}

// Its counts since the report before say what reaches the peer now.
void Peer::handle_report(const LinkView & view, const FrameOrder & order, Instant now)
{
  if (order < remote_order_) {
    return;  // a newer one has overtaken it
  }
  if (view.packets != (remote_ ? remote_->view.packets : 0)) {
    deaf_since_.reset();
  } else if (!deaf_since_) {
    deaf_since_ = now;
  }
  remote_ = PeerLinkReport{view, now};
  remote_order_ = order;
  look_for_saturation(view, now);
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
  clock_.handle_sample({response.t1, response.t2, response.t3, nanoseconds(now)}, now);
  last_answered_ = std::max(last_answered_, asked);
  last_alive_ = std::max(last_alive_, asked);
  last_heard_ = std::max(last_heard_, asked);
  note_delay(response, now);
  // Questions, or their answers, are held back: the other end gets what this one sends as late as that, or this end.
  const Duration way = opened.keys->clock()->usual_way(settings_.max_age);
  if (now - asked > settings_.max_age + 2 * way && !received.former) {
    note_stretched("answers come", now);
  }
}

}  // namespace pqc_tunnel
