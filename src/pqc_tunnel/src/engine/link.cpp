// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "link.hpp"

#include <algorithm>
#include <utility>

#include "net/interfaces.hpp"
#include "pqc_tunnel/net/address.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr Duration look_interval = std::chrono::milliseconds(500);

}  // namespace

Result<Link> Link::open(
  std::uint8_t index, const LinkSettings & settings, const LinkPort & port,
  std::size_t receive_buffer_bytes, std::size_t peers)
{
  Link link;
  link.index_ = index;
  link.settings_ = &settings;
  link.port_ = &port;
  link.peers_ = peers;
  if (settings.is_thin()) {
    link.shaper_.emplace(settings, peers);
  }
  if (settings.type == LinkType::serial) {
    link.line_.emplace(port.device, port.baud);
    if (auto opened = link.line_->open();
        !opened && opened.error().code == ErrorCode::invalid_argument) {
      return tl::make_unexpected(opened.error());
    }
    return link;
  }
  link.receive_buffer_bytes_ = receive_buffer_bytes;
  link.out_ = std::make_unique<SendBatch>();
  link.socket_.family = family_to_bind(port.bind);
  // The interface may come later, and its address with it. An address alone is more likely to be a mistake.
  if (port.interface.empty() || link.is_present()) {
    if (auto opened = link.open_socket(); !opened) {
      return tl::make_unexpected(opened.error());
    }
  }
  return link;
}

Result<void> Link::open_socket()
{
  auto socket = open_datagram_socket(port_->bind, receive_buffer_bytes_, "the encrypted side");
  if (!socket) {
    return tl::make_unexpected(socket.error());
  }
  forbid_fragmentation(*socket);
  if (!port_->interface.empty()) {
    interface_number_ = interface_number(port_->interface);
    if (auto bound = bind_to_interface(*socket, port_->interface); !bound) {
      return tl::make_unexpected(bound.error());
    }
  }
  socket_ = std::move(*socket);
  return {};
}

bool Link::is_present() const
{
  return (port_->interface.empty() || interface_number(port_->interface) != 0) &&
         is_own_address(port_->bind.host);
}

Endpoint Link::far_end() const
{
  Endpoint end;
  end.family = AddressFamily::serial;
  end.link = index_;
  return end;
}

bool Link::send(ByteView frame, const Endpoint & to, std::size_t peer)
{
  const bool taken =
    line_ ? line_->send(frame) : !is_closed() && out_->add(frame, to, socket_.family, peer);
  refused_ += taken ? 0 : 1;
  return taken;
}

void Link::look(Instant now)
{
  if (now < next_look()) {
    return;
  }
  next_look_ = now + look_interval;
  if (line_) {
    line_->open();
    return;
  }
  const bool exchanged = !port_->interface.empty() && !is_closed() &&
                         interface_number(port_->interface) != interface_number_;
  if (!is_closed() && (exchanged || !is_present())) {
    socket_.fd.reset();
  } else if (is_closed() && is_present()) {
    (void)open_socket();  // otherwise the next look tries again
  }
}

void Link::handle_closed(Instant now)
{
  next_look_ = now + look_interval;
  if (is_thin()) {
    shaper().clear();
  }
}

Instant Link::next_frame() const
{
  const SharedShaper * shaper = queues();
  return shaper != nullptr && is_free() ? shaper->next_timeout() : Instant::max();
}

const SharedShaper * Link::queues() const
{
  return shaper_ ? &*shaper_ : adaptive_ ? &adaptive_->shaper() : nullptr;
}

void Link::use_found_rate(std::optional<double> bytes_per_s, bool urgent_only)
{
  if (!shaper_ && !adaptive_ && (bytes_per_s || urgent_only)) {
    adaptive_ = std::make_unique<AdaptiveQueue>(*settings_, peers_);
  }
  if (adaptive_) {
    adaptive_->use(bytes_per_s, urgent_only);
  }
}

std::vector<Endpoint> ground_addresses(const EngineConfig & config, std::size_t link)
{
  const LinkPort & port = config.links[link];
  Endpoint address;
  if (config.settings.paths.links[link].type == LinkType::serial) {
    address.family = AddressFamily::serial;
  } else if (const auto found =
               is_numeric(port.gcs.host) ? resolve(port.gcs) : Result<std::vector<Endpoint>>();
             found && !found->empty())
  {
    address = found->front();
  }
  if (address.family == AddressFamily::none) {
    return {};
  }
  address.link = static_cast<std::uint8_t>(link);
  return {address};
}

LinkStatus Link::status() const
{
  LinkStatus status;
  status.name = settings_->name;
  status.type = settings_->type;
  status.open = !is_closed();
  status.malformed = line_ ? line_->malformed() : 0;
  status.refused = refused_;
  const SharedShaper * shaper = queues();
  for (std::size_t i = 0; shaper != nullptr && i < traffic_classes; ++i) {
    status.shaped[i] = shaper->counts(static_cast<TrafficClass>(i));
  }
  return status;
}

}  // namespace pqc_tunnel
