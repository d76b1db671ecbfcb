// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "messages.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <tuple>

#include "config/config.hpp"
#include "crypto/suites/suite.hpp"
#include "net/address.hpp"

namespace pqc_tunnel
{

namespace
{

using pqc_msgs::msg::TunnelEvent;
using pqc_msgs::msg::TunnelStatus;

// Returns seconds from `then` to `now`; -1 if `then` is not set.
double age(Instant then, Instant now)
{
  return then == Instant{} ? -1.0 : std::max(0.0, in_seconds(now - then));
}

std::string to_hex(const SessionId & session)
{
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : session.bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

pqc_msgs::msg::TrafficCounters traffic_message(const TrafficCounters & traffic)
{
  pqc_msgs::msg::TrafficCounters message;
  message.plain_in_packets = traffic.plain_in_packets;
  message.plain_in_bytes = traffic.plain_in_bytes;
  message.one_family_packets = traffic.one_family_packets;
  message.two_families_packets = traffic.two_families_packets;
  message.plain_out_packets = traffic.plain_out_packets;
  message.plain_out_bytes = traffic.plain_out_bytes;
  message.cipher_in_packets = traffic.cipher_in_packets;
  message.cipher_in_bytes = traffic.cipher_in_bytes;
  message.cipher_out_packets = traffic.cipher_out_packets;
  message.cipher_out_bytes = traffic.cipher_out_bytes;
  message.control_in = traffic.control_in;
  message.control_out = traffic.control_out;
  message.control_ignored = traffic.control_ignored;
  message.stream_in_packets = traffic.stream_in_packets;
  message.stream_out_packets = traffic.stream_out_packets;
  return message;
}

pqc_msgs::msg::LinkView view_message(const LinkView & view)
{
  pqc_msgs::msg::LinkView message;
  message.window_s = in_seconds(view.window);
  message.packets_per_s = view.packets_per_s;
  message.bytes_per_s = view.bytes_per_s;
  message.loss = view.loss;
  message.gap_p95_s = in_seconds(view.gap_p95);
  message.longest_silence_s = in_seconds(view.longest_silence);
  message.jitter_s = in_seconds(view.jitter);
  message.blackouts = view.blackouts;
  message.packets = view.packets;
  message.lost = view.lost;
  message.reordered = view.reordered;
  message.duplicates = view.duplicates;
  return message;
}

pqc_msgs::msg::Layer layer_message(const Layer & layer, Instant now)
{
  pqc_msgs::msg::Layer message;
  message.family = names(layer.problem).family;
  message.form = names(layer.problem).form;
  message.kem = layer.kem;
  message.key = to_string(layer.key);
  message.age_s = age(layer.since, now);
  return message;
}

pqc_msgs::msg::KemFetch fetch_message(const KemFetch & fetch)
{
  constexpr double unknown = -1.0;
  pqc_msgs::msg::KemFetch message;
  message.suite = fetch.suite->id;
  message.fetch_bytes = static_cast<std::uint32_t>(fetch.fetch_bytes);
  message.rekey_bytes = static_cast<std::uint32_t>(fetch.rekey_bytes);
  message.fetch_s = fetch.fetch ? in_seconds(*fetch.fetch) : unknown;
  message.rekey_s = fetch.rekey ? in_seconds(*fetch.rekey) : unknown;
  message.ready = fetch.ready;
  message.progress = fetch.progress.value_or(unknown);
  return message;
}

pqc_msgs::msg::PrekeyPool pool_message(const PrekeyPoolStatus & pool)
{
  pqc_msgs::msg::PrekeyPool message;
  message.stored = static_cast<std::uint32_t>(pool.stored);
  message.wanted = static_cast<std::uint32_t>(pool.wanted);
  message.bytes = pool.bytes;
  message.bytes_under_way = pool.bytes_under_way;
  message.making = pool.making;
  message.made = pool.made;
  message.taken = pool.taken;
  message.missed = pool.missed;
  message.expired = pool.expired;
  return message;
}

}  // namespace

builtin_interfaces::msg::Time to_stamp(Instant instant, const ClockPair & clocks)
{
  constexpr std::int64_t ns_per_s = 1'000'000'000;
  const std::int64_t ns = std::max<std::int64_t>(
    0, clocks.ros_ns + std::chrono::nanoseconds(instant - clocks.engine).count());
  builtin_interfaces::msg::Time stamp;
  stamp.sec = static_cast<std::int32_t>(ns / ns_per_s);
  stamp.nanosec = static_cast<std::uint32_t>(ns % ns_per_s);
  return stamp;
}

// The messages use the core's numbers.
static_assert(static_cast<int>(PeerState::disconnected) == TunnelStatus::STATE_DISCONNECTED);
static_assert(static_cast<int>(PeerState::connecting) == TunnelStatus::STATE_CONNECTING);
static_assert(static_cast<int>(PeerState::handshaking) == TunnelStatus::STATE_HANDSHAKING);
static_assert(static_cast<int>(PeerState::established) == TunnelStatus::STATE_ESTABLISHED);
static_assert(static_cast<int>(PeerState::rekeying) == TunnelStatus::STATE_REKEYING);
static_assert(static_cast<int>(PeerState::lost) == TunnelStatus::STATE_LOST);
static_assert(static_cast<int>(Role::drone) == TunnelStatus::ROLE_DRONE);
static_assert(static_cast<int>(Role::gcs) == TunnelStatus::ROLE_GCS);
static_assert(static_cast<int>(EventKind::handshake_started) == TunnelEvent::HANDSHAKE_STARTED);
static_assert(static_cast<int>(EventKind::handshake_completed) == TunnelEvent::HANDSHAKE_COMPLETED);
static_assert(static_cast<int>(EventKind::handshake_failed) == TunnelEvent::HANDSHAKE_FAILED);
static_assert(static_cast<int>(EventKind::rekey_started) == TunnelEvent::REKEY_STARTED);
static_assert(static_cast<int>(EventKind::rekey_prepared) == TunnelEvent::REKEY_PREPARED);
static_assert(static_cast<int>(EventKind::rekey_committed) == TunnelEvent::REKEY_COMMITTED);
static_assert(static_cast<int>(EventKind::rekey_confirmed) == TunnelEvent::REKEY_CONFIRMED);
static_assert(static_cast<int>(EventKind::rekey_failed) == TunnelEvent::REKEY_FAILED);
static_assert(static_cast<int>(EventKind::rollback) == TunnelEvent::ROLLBACK);
static_assert(static_cast<int>(EventKind::peer_lost) == TunnelEvent::PEER_LOST);
static_assert(static_cast<int>(EventKind::peer_back) == TunnelEvent::PEER_BACK);
static_assert(static_cast<int>(EventKind::roamed) == TunnelEvent::ROAMED);
static_assert(static_cast<int>(EventKind::key_limit) == TunnelEvent::KEY_LIMIT);
static_assert(static_cast<int>(EventKind::refused) == TunnelEvent::REFUSED);
static_assert(static_cast<int>(EventKind::link_stretched) == TunnelEvent::LINK_STRETCHED);
static_assert(static_cast<int>(EventKind::keys_wiped) == TunnelEvent::KEYS_WIPED);
static_assert(static_cast<int>(EventKind::link_changed) == TunnelEvent::LINK_CHANGED);
static_assert(static_cast<int>(EventKind::superseded) == TunnelEvent::SUPERSEDED);
static_assert(static_cast<int>(EventKind::policy_lost) == TunnelEvent::POLICY_LOST);
static_assert(static_cast<int>(EventKind::policy_back) == TunnelEvent::POLICY_BACK);
static_assert(static_cast<int>(EventKind::said) == TunnelEvent::SAID);
static_assert(static_cast<int>(EventKind::protection) == TunnelEvent::PROTECTION);
static_assert(static_cast<int>(EventKind::reloaded) == TunnelEvent::RELOADED);

pqc_msgs::msg::HandshakeTiming to_message(const HandshakeTiming & timing)
{
  pqc_msgs::msg::HandshakeTiming message;
  message.total_s = in_seconds(timing.total);
  message.connect_s = in_seconds(timing.connect);
  message.hello_s = in_seconds(timing.hello);
  message.derive_s = in_seconds(timing.derive);
  message.answer_s = in_seconds(timing.answer);
  message.fetch_s = in_seconds(timing.fetch);
  message.keygen_s = in_seconds(timing.keygen);
  message.sign_s = in_seconds(timing.sign);
  message.verify_s = in_seconds(timing.verify);
  message.encapsulate_s = in_seconds(timing.encapsulate);
  message.decapsulate_s = in_seconds(timing.decapsulate);
  message.prepared_ahead = timing.prepared_ahead;
  return message;
}

pqc_msgs::srv::Rekey::Response rekey_response(const RekeyReply & reply)
{
  pqc_msgs::srv::Rekey::Response response;
  response.success = reply.success;
  response.message = reply.message;
  response.suite = reply.suite == nullptr ? "" : reply.suite->id;
  response.epoch = static_cast<std::uint8_t>(reply.epoch);
  response.timing = to_message(reply.timing);
  response.bytes = reply.timing.bytes;
  response.fetch_bytes = reply.timing.fetch_bytes;
  return response;
}

TunnelStatus status_message(Role role, const PeerSnapshot & peer, const ClockPair & now)
{
  TunnelStatus message;
  message.stamp = to_stamp(now.engine, now);
  message.role = static_cast<std::uint8_t>(role);
  message.role_text = to_string(role);
  message.peer = peer.name;
  if (peer.address.family != AddressFamily::none) {
    message.peer_address = to_string(peer.address);
  }
  message.state = static_cast<std::uint8_t>(peer.state);
  message.state_text = to_string(peer.state);
  message.likely_cause = peer.likely_cause;
  message.encrypted = is_encrypted(peer);
  message.since_heard_s = age(peer.last_heard, now.engine);
  message.key_age_s = -1.0;
  if (peer.suite != nullptr) {
    message.suite = peer.suite->id;
    message.level = static_cast<std::uint8_t>(peer.suite->level);
    message.aead_key_bits = static_cast<std::uint16_t>(8 * key_size(peer.suite->aead));
    message.session = to_hex(peer.session);
    message.epoch = static_cast<std::uint8_t>(peer.epoch);
    message.key_age_s = age(peer.key_installed, now.engine);
    message.packets_under_key = peer.packets_under_key;
    message.key_id = static_cast<std::uint32_t>(peer.receive_id);
    message.anchor = peer.anchor ? to_string(key_of(*peer.anchor)) : "";
  }
  message.protection = families_text(peer.layers);
  for (const Layer & layer : peer.layers) {
    message.layers.push_back(layer_message(layer, now.engine));
  }
  message.handshakes = peer.handshakes;
  message.rekeys = peer.rekeys;
  message.ratchets = peer.ratchets;
  message.rollbacks = peer.rollbacks;
  message.prekeys = static_cast<std::uint32_t>(peer.prekeys);
  message.exchange_bytes = peer.exchange_bytes;
  message.fetch_bytes = peer.fetch_bytes;
  for (const KemFetch & fetch : peer.fetches) {
    message.fetches.push_back(fetch_message(fetch));
  }
  message.stretched = peer.stretched;
  message.handshake = to_message(peer.timing);
  message.pool = pool_message(peer.pool);
  for (const PathReport & path : peer.paths) {
    pqc_msgs::msg::LinkState link;
    link.name = path.name;
    link.state = to_string(path.state);
    link.carries = path.carries;
    message.links.push_back(link);
  }
  message.traffic = traffic_message(peer.traffic);
  // The fields of the message have the order and the names of Drop.
  message.drops = std::bit_cast<pqc_msgs::msg::DropCounters>(peer.traffic.drops);
  return message;
}

pqc_msgs::msg::PathStatus path_message(const PathReport & path)
{
  pqc_msgs::msg::PathStatus message;
  message.link = path.name;
  message.type = to_string(path.type);
  message.state = to_string(path.state);
  message.address = path.remote.family == AddressFamily::none ? "" : to_string(path.remote);
  message.carries = path.carries;
  message.rtt_s = in_seconds(path.rtt.value_or(Duration{}));
  message.loss = path.loss;
  message.rate_bytes_s = path.rate_bytes_s;
  message.rate_source = to_string(path.rate_source);
  message.frames_in = path.frames_in;
  message.bytes_in = path.bytes_in;
  message.frames_out = path.frames_out;
  message.bytes_out = path.bytes_out;
  for (std::size_t i = 0; i < traffic_classes; ++i) {
    const ShaperCounts & counts = path.shaped.at(i);
    if (counts.offered == 0) {
      continue;
    }
    pqc_msgs::msg::ClassCounters of_class;
    of_class.traffic = to_string(static_cast<TrafficClass>(i));
    of_class.offered = counts.offered;
    of_class.sent = counts.sent;
    of_class.conflated = counts.conflated;
    of_class.full = counts.full;
    of_class.stale = counts.stale;
    of_class.oversize = counts.oversize;
    message.classes.push_back(of_class);
  }
  return message;
}

pqc_msgs::msg::LinkReport link_message(const PeerSnapshot & peer, const ClockPair & now)
{
  pqc_msgs::msg::LinkReport message;
  message.stamp = to_stamp(now.engine, now);
  message.peer = peer.name;
  message.local = view_message(peer.link);
  message.local_streams = peer.traffic.stream_in_packets;
  if (peer.remote) {
    message.remote_valid = true;
    message.remote_age_s = age(peer.remote->received, now.engine);
    message.remote = view_message(peer.remote->view);
  }
  if (peer.clock_valid) {
    message.clock_valid = true;
    message.rtt_s = in_seconds(peer.rtt);
    message.clock_offset_s = in_seconds(peer.clock_offset);
    message.clock_error_s = in_seconds(peer.clock_error);
    message.clock_drift_ppm = peer.clock_drift_ppm;
    message.delay_to_peer_s = in_seconds(peer.delay_to_peer);
    message.delay_from_peer_s = in_seconds(peer.delay_from_peer);
  }
  for (const PathReport & path : peer.paths) {
    message.paths.push_back(path_message(path));
  }
  return message;
}

TunnelEvent event_message(const Event & event, const std::string & peer, const ClockPair & now)
{
  TunnelEvent message;
  message.kind = static_cast<std::uint8_t>(event.kind);
  message.kind_text = to_string(event.kind);
  message.stamp = to_stamp(event.time, now);
  message.peer = peer;
  if (event.suite != nullptr) {
    message.suite = event.suite->id;
  }
  message.epoch = static_cast<std::uint8_t>(event.epoch);
  message.text = event.text;
  return message;
}

bool differs_notably(const TunnelStatus & before, const TunnelStatus & after)
{
  const auto notable = [](const TunnelStatus & status) {
    return std::tie(
      status.state, status.likely_cause, status.encrypted, status.suite, status.session,
      status.epoch, status.peer_address, status.handshakes, status.rekeys, status.rollbacks,
      status.stretched, status.links);
  };
  return notable(before) != notable(after);
}

}  // namespace pqc_tunnel
