// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__ENGINE__SOCKETS__LINK_HPP_
#define PQC_TUNNEL__ENGINE__SOCKETS__LINK_HPP_

#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/engine_config.hpp"
#include "link/mavlink/traffic_class.hpp"
#include "link/paths/link_settings.hpp"
#include "net/datagram_batch.hpp"
#include "net/sockets.hpp"
#include "serial_line.hpp"

namespace pqc_tunnel
{

// What snapshots say of a link.
struct LinkStatus
{
  std::string name;
  LinkType type = LinkType::udp;
  std::string where;    // UDP port and interface, or serial device and baud rate
  bool open = true;     // false: the serial device, the interface or its address is not there
  std::string trouble;  // see Link::trouble()
  std::uint64_t malformed = 0;  // frames cut or altered on a serial line
  std::uint64_t refused = 0;    // frames that the socket or device did not take
  std::array<ShaperCounts, traffic_classes> shaped = {};  // thin links, by TrafficClass
};

// One of the engine's local links: a UDP socket or a serial device.
class Link
{
public:
  // Binds or opens; a serial device or an interface that is not there is opened later.
  static Result<Link> open(
    std::uint8_t index, const LinkSettings & settings, const LinkPort & port);

  const LinkSettings & settings() const { return *settings_; }
  const LinkPort & port() const { return *port_; }
  bool is_serial() const { return line_.has_value(); }
  Socket & socket() { return socket_; }
  const Socket & socket() const { return socket_; }
  SerialLine & line() { return *line_; }
  // 0: it is serial. The configured one while it is closed.
  std::uint16_t udp_port() const { return socket_.port != 0 ? socket_.port : port_->bind.port; }
  Endpoint far_end() const;  // of a serial line

  // Queues a sealed frame (UDP), or sends it (serial). False if it is not taken. Its bytes must live until flush().
  bool send(ByteView frame, const Endpoint & to, std::size_t peer);
  // Calls refused(peer, oversize) for each frame that the socket did not accept.
  template <class Refused>
  void flush(Refused && refused)
  {
    if (out_ && !out_->empty()) {
      out_->flush(socket_.fd.get(), [&](std::size_t peer, bool oversize) {
        ++refused_;
        refused(peer, oversize);
      });
      const int error = out_->refusal();
      forbidden_ = error == EPERM || error == EACCES ? error : 0;
    }
  }
  // A frame can be handed to the link now.
  bool is_free() const { return !line_ || (line_->is_open() && !line_->wants_write()); }

  // --- A device or an interface that comes and goes ---
  bool is_closed() const { return line_ ? !line_->is_open() : !socket_.fd; }
  // When look() has something to do.
  Instant next_look() const { return may_vanish() ? next_look_ : Instant::max(); }
  // Opens a device or a socket that is closed, if it is there now. Closes the socket of an interface or an address that
  // is gone, or of an interface that was exchanged for another one of this name.
  void look(Instant now);
  // Looks again only after a while.
  void handle_closed(Instant now);

  LinkStatus status() const;
  // The fault of the link that this machine knows, in lower case without a full stop; empty: none.
  std::string trouble() const;

private:
  Result<void> open_socket();
  Result<void> note_opened(Result<void> opened);
  // An error unless the interface and the address that a socket needs are there.
  Result<void> find_place() const;
  bool may_vanish() const
  {
    return line_ ? !line_->is_open() : !port_->interface.empty() || !port_->bind.host.empty();
  }

  std::uint8_t index_ = 0;
  const LinkSettings * settings_ = nullptr;
  const LinkPort * port_ = nullptr;
  Socket socket_;
  std::unique_ptr<SendBatch> out_;
  std::optional<SerialLine> line_;
  Instant next_look_;
  std::string why_closed_;
  int forbidden_ =
    0;  // errno of the latest datagram, if a rule of this machine keeps it from leaving
  unsigned interface_number_ = 0;  // to which the socket is bound
  std::uint64_t refused_ = 0;
};

// Drone: the ground station on this link, as far as no name server is needed.
std::vector<Endpoint> ground_addresses(const EngineConfig & config, std::size_t link);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__SOCKETS__LINK_HPP_
