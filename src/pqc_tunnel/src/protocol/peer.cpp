// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "peer.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace pqc_tunnel
{
namespace
{

// A link that alternates between two addresses changes them with each datagram.
constexpr Duration roaming_report_interval = std::chrono::seconds(10);
constexpr Duration deaf_patience = std::chrono::seconds(2);

std::int64_t nanoseconds(Instant instant) { return instant.time_since_epoch().count(); }

// Identifies a run of sequence numbers for the link estimator: each epoch of each session starts again at zero.
std::uint64_t stream_of(const EpochKeys & keys)
{
  std::uint64_t name = 0;
  static_assert(sizeof(keys.id().bytes) == sizeof(name));
  std::memcpy(&name, keys.id().bytes.data(), sizeof(name));
  return name + static_cast<std::uint8_t>(keys.epoch());
}

}  // namespace

Peer::Peer(PeerIndex index, std::string name, const TunnelSettings & settings, Outbox & outbox)
: index_(index), name_(std::move(name)), settings_(settings), outbox_(outbox)
{
}

bool Peer::seal(MutableBytes frame, Instant now)
{
  const std::size_t size = frame.size() - frame_header_size - tag_size;
  ++traffic_.plain_in_packets;
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
  if (!keys->seal(FrameType::data, frame)) {
    traffic_.count(Drop::no_session);
    return false;
  }
  ++traffic_.cipher_out_packets;
  traffic_.cipher_out_bytes += frame.size();
  last_sent_ = now;
  return true;
}

// Two keys can share a session and an epoch after a handshake was repeated; a failed try changes the bytes, so the
// next try gets a copy of the datagram.
EpochKeys * Peer::open_with_any(const FrameHeader & header, MutableBytes datagram, Drop & drop)
{
  const auto candidates = keys_.candidates(header);
  drop = Drop::unknown;
  const bool several = candidates[1] != nullptr;
  if (several) {
    second_try_.assign(datagram.begin(), datagram.end());
  }
  for (EpochKeys * keys : candidates) {
    if (keys == nullptr) {
      return nullptr;
    }
    const auto failure = keys->open(header, datagram);
    if (!failure) {
      return keys;
    }
    drop = *failure;
    if (several) {
      std::ranges::copy(second_try_, datagram.begin());
    }
  }
  return nullptr;
}

Peer::Received Peer::open(
  const FrameHeader & header, MutableBytes datagram, const Endpoint & from, Instant now)
{
  Received received;
  Drop drop = Drop::unknown;
  EpochKeys * keys = open_with_any(header, datagram, drop);
  if (keys == nullptr) {
    traffic_.count(drop);
    if (drop == Drop::replay) {
      link_.handle_duplicate();
    }
    return received;
  }
  received.authenticated = true;
  ++traffic_.cipher_in_packets;
  traffic_.cipher_in_bytes += datagram.size();
  link_.handle_packet(stream_of(*keys), header.sequence, datagram.size(), now);
  last_heard_ = now;
  received.proved = keys_.note_received(*keys);
  if (received.proved) {
    const Duration round_trips = clock_.valid() ? 3 * clock_.rtt() : Duration{};
    keys_.retire_older_at(now + std::max(min_overlap, round_trips));
    if (!next_report_) {
      next_report_ = now;
    }
  }
  follow(*keys, header, from, now);

  const MutableBytes text =
    datagram.subspan(frame_header_size, datagram.size() - frame_header_size - tag_size);
  if (header.type == FrameType::data) {
    received.plaintext = text;
    received.forward = true;
    ++traffic_.plain_out_packets;
    traffic_.plain_out_bytes += text.size();
    return received;
  }
  ++traffic_.control_in;
  const auto control = decode_control(text);
  if (!control) {
    ++traffic_.control_ignored;
  } else if (!handle_own_control(*control, now)) {
    received.control = control;
  }
  return received;
}

// The address follows the newest authenticated packet of the newest keys, never an old or replayed one.
void Peer::follow(
  const EpochKeys & keys, const FrameHeader & header, const Endpoint & from, Instant now)
{
  if (from == address_ || &keys != keys_.sending() || header.sequence != keys.highest_received()) {
    return;
  }
  const bool first = address_.family == AddressFamily::none;
  address_ = from;
  if (first) {
    return;
  }
  ++roamings_;
  if (now < next_roaming_report_) {
    return;
  }
  next_roaming_report_ = now + roaming_report_interval;
  std::string text = "datagrams arrive from another address of the peer";
  if (roamings_ > 1) {
    text += " (it has changed " + std::to_string(roamings_) + " times since the last report)";
  }
  roamings_ = 0;
  report(EventKind::roamed, now, text, &keys.suite(), keys.epoch());
}

bool Peer::is_deaf(Instant now) const { return deaf_since_ && now >= *deaf_since_ + deaf_patience; }

bool Peer::handle_own_control(const ControlFrame & frame, Instant now)
{
  if (const auto * request = std::get_if<TimeRequest>(&frame.body)) {
    const std::int64_t time = nanoseconds(now);
    send_control({frame.transaction, TimeResponse{request->t1, time, time}}, now);
    return true;
  }
  if (const auto * response = std::get_if<TimeResponse>(&frame.body)) {
    clock_.handle_sample({response->t1, response->t2, response->t3, nanoseconds(now)}, now);
    return true;
  }
  if (const auto * report = std::get_if<LinkReport>(&frame.body)) {
    remote_ = PeerLinkReport{report->view, now};
    if (report->view.packets > 0) {
      deaf_since_.reset();
    } else if (!deaf_since_) {
      deaf_since_ = now;
    }
    return true;
  }
  return std::holds_alternative<Keepalive>(frame.body);
}

void Peer::send_control(const ControlFrame & frame, Instant now)
{
  EpochKeys * keys = keys_.sending();
  if (keys == nullptr || address_.family == AddressFamily::none) {
    return;
  }
  const Bytes text = encode(frame);
  Bytes datagram(frame_header_size + text.size() + tag_size);
  std::ranges::copy(text, datagram.begin() + frame_header_size);
  if (!keys->seal(FrameType::control, datagram)) {
    return;
  }
  ++traffic_.control_out;
  ++traffic_.cipher_out_packets;
  traffic_.cipher_out_bytes += datagram.size();
  last_sent_ = now;
  outbox_.push(SendDatagram{index_, address_, std::move(datagram)});
}

void Peer::start_listening(Instant now)
{
  last_heard_ = now;
  link_.start(now);
  if (!next_report_) {
    next_report_ = now;
  }
}

void Peer::handle_timeout(Instant now)
{
  keys_.handle_timeout(now);
  if (keys_.sending() == nullptr) {
    return;
  }
  if (next_report_ && now >= *next_report_) {
    next_report_ = now + settings_.report_interval;
    send_control({0, TimeRequest{nanoseconds(now)}}, now);
    send_control({0, LinkReport{link_.view(now)}}, now);
  }
  if (now >= last_sent_ + settings_.keepalive_interval) {
    send_control({0, Keepalive{}}, now);
    last_sent_ = now;
  }
}

Instant Peer::next_timeout() const
{
  Instant next = keys_.next_timeout();
  if (keys_.sending() != nullptr) {
    next = std::min(next, last_sent_ + settings_.keepalive_interval);
    if (next_report_) {
      next = std::min(next, *next_report_);
    }
  }
  return next;
}

void Peer::describe(PeerSnapshot & snapshot, Instant now) const
{
  snapshot.name = name_;
  if (const EpochKeys * keys = keys_.sending()) {
    snapshot.suite = &keys->suite();
    snapshot.session = keys->id();
    snapshot.epoch = keys->epoch();
    snapshot.key_installed = keys->installed();
    snapshot.packets_under_key = keys->sent();
  }
  snapshot.address = address_;
  snapshot.last_heard = last_heard_;
  snapshot.traffic = traffic_;
  snapshot.link = link_.view(now);
  snapshot.remote = remote_;
  snapshot.clock_valid = clock_.valid();
  if (snapshot.clock_valid) {
    snapshot.rtt = clock_.rtt();
    snapshot.clock_offset = clock_.offset(now);
    snapshot.clock_error = clock_.error_bound(now);
    snapshot.clock_drift_ppm = clock_.drift_ppm();
    snapshot.delay_to_peer = clock_.delay_to_peer();
    snapshot.delay_from_peer = clock_.delay_from_peer();
  }
}

void Peer::report(
  EventKind kind, Instant now, std::string text, const Suite * suite, Epoch epoch,
  std::optional<EventSeverity> severity)
{
  outbox_.push(Event{kind, now, index_, suite, epoch, std::move(text), severity});
}

void Peer::reply(
  RekeyId id, bool success, const std::string & message, const HandshakeTiming & timing)
{
  const EpochKeys * keys = keys_.sending();
  outbox_.push(RekeyReply{
    id, success, message, keys != nullptr ? &keys->suite() : nullptr,
    keys != nullptr ? keys->epoch() : Epoch{}, timing});
}

void Peer::refuse_rekey(
  const RekeyCommand & command, const std::string & problem, const Suite * suite,
  const HandshakeTiming & timing, Instant now)
{
  report(EventKind::refused, now, "rekey refused: " + problem, suite);
  reply(command.id, false, problem, timing);
}

}  // namespace pqc_tunnel
