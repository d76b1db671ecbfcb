// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "plaintext_side.hpp"

#include <utility>

#include "link/shaping/shaper.hpp"
#include "net/address.hpp"
#include "net/interfaces.hpp"

namespace pqc_tunnel
{
namespace
{

// Datagrams in which the vehicle's frames are searched wherever they are cut.
constexpr std::uint64_t long_search = 1000;

}  // namespace

Result<PlaintextSide> PlaintextSide::open(
  PeerIndex peer, const PlaintextConfig & config, std::size_t receive_buffer_bytes)
{
  const std::string of_drone = config.name.empty() ? "" : " of drone " + config.name;
  PlaintextSide side;
  side.peer_ = peer;
  side.has_vehicle_ = config.name.empty();
  auto socket =
    open_datagram_socket(config.bind, receive_buffer_bytes, "the plaintext side" + of_drone);
  if (!socket) {
    return tl::make_unexpected(socket.error());
  }
  side.socket_ = std::move(*socket);
  allow_broadcast(side.socket_);
  side.application_ = Destination(config.peer, "plaintext_peer_address");
  const Endpoint & to = side.application_.address();
  if (to.family != AddressFamily::none && !reaches(side.socket_.family, to)) {
    return fail(
      ErrorCode::invalid_argument,
      "The plaintext peer" + of_drone +
        " can't be reached: plaintext_bind_address and plaintext_peer_address are of different "
        "kinds (IPv4 and IPv6).");
  }
  auto mirror = Mirror::open(config);
  if (!mirror) {
    return tl::make_unexpected(mirror.error());
  }
  side.mirror_ = std::move(*mirror);
  side.look_at_network();
  return side;
}

std::optional<int> PlaintextSide::connect(bool connects, bool changed)
{
  const bool is_one = connects && application_.is_given() && !has_many_;
  const Endpoint to = is_one ? application_.address() : Endpoint{};
  return connected_.use(to, socket_, "", changed) ? std::optional(connected_.fd()) : std::nullopt;
}

[[gnu::hot]] std::size_t PlaintextSide::receive(ReceiveBatch & batch, bool connected, Instant now)
{
  const std::size_t received = batch.receive(connected ? connected_.fd() : socket_.fd.get(), now);
  if (received > 0 && !application_.is_given()) {
    application_.learn(to_endpoint(batch.source(received - 1)));
  }
  return received;
}

[[gnu::hot]] bool PlaintextSide::is_foreign(const Endpoint & from) const
{
  if (!application_.is_given()) {
    return false;
  }
  // A datagram from the own port is an echo of what was sent to all.
  const Endpoint & to = application_.address();
  return has_many_ ? from.port != to.port || from.port == socket_.port : from != to;
}

[[gnu::hot]] void PlaintextSide::mirror_outward(ByteView datagram, const Endpoint & source)
{
  if (has_vehicle_) {
    if (mirror_.is_open()) {
      mirror_.copy(datagram, source);
    }
    radio_status_.look_for_radio(datagram);
  }
}

[[gnu::hot]] bool PlaintextSide::add(ByteView datagram, SendBatch & batch)
{
  const bool added = connected_.is_open()
                       ? batch.add(datagram, std::size_t{0})
                       : batch.add(datagram, application_.address(), socket_.family);
  if (!added) {
    return false;
  }
  if (has_vehicle_) {
    radio_status_.look_for_radio(datagram);
  } else if (mirror_.is_open()) {
    mirror_.copy(datagram, {});
  }
  if (system_ == 0) {
    search_system(datagram);
  }
  return true;
}

void PlaintextSide::search_system(ByteView datagram)
{
  if (searched_ == long_search) {
    system_ = mavlink_system(datagram);
    return;
  }
  ++searched_;
  search_.push(datagram, {}, [this](ByteView bytes, bool is_mavlink) {
    system_ = is_mavlink ? mavlink_system(bytes) : system_;
  });
}

void PlaintextSide::show(MavlinkSeverity severity, std::string_view text)
{
  if (!introduced_) {
    waiting_.emplace(severity, text);
    return;
  }
  send(mavlink_statustext(system_, sequence_++, severity, text));
}

void PlaintextSide::introduce()
{
  introduced_ = system_ != 0;
  if (introduced_ && waiting_) {
    show(waiting_->first, waiting_->second);
  }
}

void PlaintextSide::report_load(Duration load, Instant now)
{
  if (!has_vehicle_) {
    return;
  }
  if (const auto frame = radio_status_.next(load, Shaper::longest_load, now)) {
    send(*frame);
  }
}

void PlaintextSide::send(ByteView frame)
{
  SendBatch batch;
  if (batch.add(frame, application_.address(), socket_.family)) {
    batch.flush(socket_.fd.get(), [](std::size_t, bool) {});
  }
}

// --- Addresses and their trouble ---

void PlaintextSide::start_look_ups(const std::function<void()> & answered)
{
  application_.start(answered);
  mirror_.start_look_ups(answered);
}

void PlaintextSide::look_at_network()
{
  has_many_ = application_.is_given() && reaches_many(application_.address());
}

void PlaintextSide::ask_for_addresses()
{
  application_.ask();
  mirror_.ask_for_addresses();
}

void PlaintextSide::take_answers()
{
  if (application_.take_answers(socket_.family)) {
    connected_ = {};
    look_at_network();
  }
  mirror_.take_answers();
}

std::optional<Event> PlaintextSide::news(Instant now)
{
  std::string current = application_.trouble(now);
  if (std::string of_mirror = mirror_.trouble(now); current.empty()) {
    current = std::move(of_mirror);
  }
  if (current == trouble_) {
    return std::nullopt;
  }
  trouble_ = std::move(current);
  Event event{EventKind::refused, now, peer_, nullptr, Epoch{}, {}};
  event.text = trouble_.empty() ? "The plaintext side works again."
                                : "Trouble at the plaintext side: " + trouble_ + ".";
  event.severity = trouble_.empty() ? EventSeverity::info : EventSeverity::warning;
  return event;
}

}  // namespace pqc_tunnel
