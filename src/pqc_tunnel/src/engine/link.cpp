// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "link.hpp"

#include <algorithm>
#include <utility>

#include "pqc_tunnel/net/address.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr Duration reopen_interval = std::chrono::milliseconds(500);

}  // namespace

Result<Link> Link::open(
  std::uint8_t index, const LinkSettings & settings, const LinkPort & port,
  std::size_t receive_buffer_bytes, std::size_t peers)
{
  Link link;
  link.index_ = index;
  link.settings_ = &settings;
  link.port_ = &port;
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
  auto socket = open_datagram_socket(port.bind, receive_buffer_bytes, "the encrypted side");
  if (!socket) {
    return tl::make_unexpected(socket.error());
  }
  link.socket_ = std::move(*socket);
  forbid_fragmentation(link.socket_);
  if (!port.interface.empty()) {
    if (auto bound = bind_to_interface(link.socket_, port.interface); !bound) {
      return tl::make_unexpected(bound.error());
    }
  }
  link.out_ = std::make_unique<SendBatch>();
  return link;
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
  const bool taken = line_ ? line_->send(frame) : out_->add(frame, to, socket_.family, peer);
  refused_ += taken ? 0 : 1;
  return taken;
}

bool Link::reopen(Instant now)
{
  next_open_ = now + reopen_interval;
  return line_->open().has_value();
}

void Link::handle_closed(Instant now)
{
  next_open_ = now + reopen_interval;
  if (shaper_) {
    shaper_->clear();
  }
}

Instant Link::next_frame() const
{
  return shaper_ && is_free() ? shaper_->next_timeout() : Instant::max();
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
  for (std::size_t i = 0; shaper_ && i < traffic_classes; ++i) {
    status.shaped[i] = shaper_->counts(static_cast<TrafficClass>(i));
  }
  return status;
}

}  // namespace pqc_tunnel
