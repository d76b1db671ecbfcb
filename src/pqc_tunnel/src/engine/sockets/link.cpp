// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "link.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "net/address.hpp"
#include "net/interfaces.hpp"
#include "net/sockets.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr Duration look_interval = std::chrono::milliseconds(500);
constexpr Duration watched_look_interval = std::chrono::seconds(5);
// Interval of looks at a device that does not open, because finding its holder reads every process.
constexpr Duration held_interval = std::chrono::seconds(3);

std::string as_clause(std::string sentence)
{
  if (sentence.ends_with('.')) {
    sentence.pop_back();
  }
  if (!sentence.empty()) {
    sentence.front() =
      static_cast<char>(std::tolower(static_cast<unsigned char>(sentence.front())));
  }
  return sentence;
}

}  // namespace

Result<Link> Link::open(std::uint8_t index, const LinkSettings & settings, const LinkPort & port)
{
  Link link;
  link.index_ = index;
  link.settings_ = &settings;
  link.port_ = &port;
  link.has_place_ = !port.interface.empty() || !port.bind.host.empty();
  if (settings.type == LinkType::serial) {
    link.line_.emplace(port.device, port.baud);
    if (auto opened = link.note_opened(link.line_->open());
        !opened && opened.error().code == ErrorCode::invalid_argument)
    {
      return tl::make_unexpected(opened.error());
    }
    return link;
  }
  link.out_ = std::make_unique<SendBatch>();
  link.socket_.family = family_to_bind(port.bind);
  // A configured interface may appear later with its address. A missing address alone is probably a mistake.
  auto place = port.interface.empty() ? Result<void>() : link.find_place();
  if (const auto opened = link.note_opened(place ? link.open_socket() : place); place && !opened) {
    return tl::make_unexpected(opened.error());
  }
  return link;
}

Result<void> Link::open_socket()
{
  auto socket = open_datagram_socket(port_->bind, usual_receive_buffer, "the encrypted side");
  if (!socket) {
    return tl::make_unexpected(socket.error());
  }
  forbid_fragmentation(*socket);
  if (!port_->interface.empty()) {
    interface_number_ = find_interface(port_->interface).value_or(0);
    if (auto bound = bind_to_interface(*socket, port_->interface); !bound) {
      return tl::make_unexpected(bound.error());
    }
  }
  socket_ = std::move(*socket);
  return {};
}

Result<void> Link::find_place() const
{
  if (!port_->interface.empty()) {
    if (const auto found = find_interface(port_->interface); !found) {
      return tl::make_unexpected(found.error());
    }
  }
  if (!is_own_address(port_->bind.host)) {
    return fail(
      ErrorCode::unavailable,
      "This machine does not have the address " + port_->bind.host + " (bind_address) now.");
  }
  return {};
}

Result<void> Link::note_opened(Result<void> opened)
{
  why_closed_ = opened ? "" : as_clause(opened.error().message);
  return opened;
}

std::string Link::trouble() const
{
  if (is_closed()) {
    return why_closed_;
  }
  if (line_ && line_->is_noisy()) {
    return "what arrives at " + port_->device + " is no tunnel's: another baud rate there than " +
           std::to_string(port_->baud) + ", noise, or not the radio's device";
  }
  if (forbidden_ == EPERM) {
    return "a firewall rule of this machine keeps the datagrams of link " + settings_->name +
           " from leaving (" + error_text(forbidden_) + ")";
  }
  return forbidden_ == 0
           ? ""
           : "this machine does not let the datagrams of link " + settings_->name + " leave (" +
               error_text(forbidden_) + "): a broadcast address, or a rule of the system";
}

Endpoint Link::far_end() const
{
  Endpoint end;
  end.family = AddressFamily::serial;
  end.link = index_;
  return end;
}

[[gnu::hot]] bool Link::send(ByteView frame, const Endpoint & to, std::size_t peer)
{
  bool taken = false;
  if (line_) {
    taken = line_->send(frame);
  } else if (!is_closed()) {
    const auto connected = peers_.add(frame, to, peer);
    taken = connected ? *connected : out_->add(frame, to, socket_.family, peer);
  }
  refused_ += taken ? 0 : 1;
  return taken;
}

std::optional<int> Link::connect(std::size_t peer, const Endpoint & remote, bool changed)
{
  return line_ || is_closed() || remote.family == AddressFamily::none
           ? std::nullopt
           : peers_.use(peer, remote, socket_, port_->interface, changed);
}

void Link::handle_closed(Instant now) { next_look_ = now + look_interval; }

void Link::look(Instant now, bool watched)
{
  if (now < next_look()) {
    return;
  }
  next_look_ = now + (watched && !line_ ? watched_look_interval : look_interval);
  if (line_) {
    std::error_code absent;
    if (!note_opened(line_->open()) && std::filesystem::exists(port_->device, absent)) {
      next_look_ = now + held_interval;
    }
    return;
  }
  const auto place = find_place();
  const bool exchanged = !port_->interface.empty() && !is_closed() &&
                         find_interface(port_->interface).value_or(0) != interface_number_;
  if (!is_closed() && (exchanged || !place)) {
    peers_.close();
    socket_.fd.reset();
    (void)note_opened(place);
  } else if (is_closed()) {
    (void)note_opened(place ? open_socket() : place);  // the next look tries again
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
  status.where = line_ ? port_->device + " at " + std::to_string(port_->baud) + " baud"
                       : "UDP " + std::to_string(udp_port()) +
                           (port_->interface.empty() ? "" : " at " + port_->interface);
  status.open = !is_closed();
  status.trouble = trouble();
  status.malformed = line_ ? line_->malformed() : 0;
  status.refused = refused_;
  return status;
}

}  // namespace pqc_tunnel
