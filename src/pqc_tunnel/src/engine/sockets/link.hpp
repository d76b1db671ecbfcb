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
#include "peer_sockets.hpp"
#include "serial_line.hpp"

namespace pqc_tunnel
{

// The status of a link in snapshots.
struct LinkStatus
{
  std::string name;
  LinkType type = LinkType::udp;
  std::string where;            // UDP port and interface, or serial device and baud rate
  bool open = true;             // false: the device, interface or address is missing
  std::string trouble;          // see Link::trouble()
  std::uint64_t malformed = 0;  // frames cut or altered on a serial line
  std::uint64_t refused = 0;    // frames that the socket or device did not take
  std::array<ShaperCounts, traffic_classes> shaped = {};  // thin links, by TrafficClass
};

// One of the engine's local links: a UDP socket or a serial device.
class Link
{
public:
  // Binds the socket or opens the device. A missing serial device or interface is opened later.
  static Result<Link> open(
    std::uint8_t index, const LinkSettings & settings, const LinkPort & port);

  const LinkSettings & settings() const { return *settings_; }
  const LinkPort & port() const { return *port_; }
  bool is_serial() const { return line_.has_value(); }
  Socket & socket() { return socket_; }
  const Socket & socket() const { return socket_; }
  SerialLine & line() { return *line_; }
  // Returns the bound port, or the configured one while the link is closed; 0: serial.
  std::uint16_t udp_port() const { return socket_.port != 0 ? socket_.port : port_->bind.port; }
  Endpoint far_end() const;  // of a serial line

  // Uses a socket of its own for the peer at this address (UDP), or none; see PeerSockets.
  std::optional<int> connect(std::size_t peer, const Endpoint & remote, bool changed);
  void disconnect(std::size_t peer) { peers_.leave(peer); }
  // Returns that socket; negative: there is none.
  int peer_socket(std::size_t peer) const { return peers_.fd(peer); }

  // Queues a sealed frame (UDP) or sends it (serial). Returns false if the link does not take it. The bytes must be
  // valid until flush().
  bool send(ByteView frame, const Endpoint & to, std::size_t peer);
  // Calls refused(peer, oversize) for each frame that the socket did not accept.
  template <class Refused>
  void flush(Refused && refused)
  {
    const auto count = [&](std::size_t peer, bool oversize) {
      ++refused_;
      refused(peer, oversize);
    };
    const auto note = [this](int error) {
      forbidden_ = error == EPERM || error == EACCES ? error : 0;
    };
    peers_.flush(count, note);
    if (out_ && !out_->empty()) {
      out_->flush(socket_.fd.get(), count);
      note(out_->refusal());
    }
  }
  // Returns whether the link takes a frame now.
  bool is_free() const { return !line_ || (line_->is_open() && !line_->wants_write()); }

  // --- A device or an interface that comes and goes ---
  bool is_closed() const { return line_ ? !line_->is_open() : !socket_.fd; }
  // Returns when look() is due.
  Instant next_look() const { return may_vanish() ? next_look_ : Instant::max(); }
  // Opens a closed link if its device, interface or address exists now. Closes the socket if its interface or address
  // has gone, or if another interface has taken the name. `watched`: look_soon() is called when the network changes.
  void look(Instant now, bool watched);
  void look_soon() { next_look_ = {}; }
  // The device has closed; the next look comes only after a while.
  void handle_closed(Instant now);

  LinkStatus status() const;
  // Returns the fault of the link that this machine knows, in lower case without a full stop; empty: none.
  std::string trouble() const;

private:
  Result<void> open_socket();
  Result<void> note_opened(Result<void> opened);
  // Returns an error unless the interface and the address of the socket exist.
  Result<void> find_place() const;
  bool may_vanish() const { return line_ ? !line_->is_open() : has_place_; }

  std::uint8_t index_ = 0;
  const LinkSettings * settings_ = nullptr;
  const LinkPort * port_ = nullptr;
  Socket socket_;
  std::unique_ptr<SendBatch> out_;
  PeerSockets peers_;
  std::optional<SerialLine> line_;
  Instant next_look_;
  std::string why_closed_;
  int forbidden_ = 0;       // EPERM or EACCES if a rule of this machine stopped the latest datagram
  bool has_place_ = false;  // an interface or an address is configured
  unsigned interface_number_ = 0;  // of the interface that the socket is bound to
  std::uint64_t refused_ = 0;
};

// Drone: returns the addresses of the ground station on this link that need no name server.
std::vector<Endpoint> ground_addresses(const EngineConfig & config, std::size_t link);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__SOCKETS__LINK_HPP_
