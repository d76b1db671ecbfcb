// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__ENGINE__SOCKETS__PLAINTEXT_SIDE_HPP_
#define PQC_TUNNEL__ENGINE__SOCKETS__PLAINTEXT_SIDE_HPP_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/ids.hpp"
#include "config/engine_config.hpp"
#include "destination.hpp"
#include "link/mavlink/mavlink_statustext.hpp"
#include "link/mavlink/mavlink_stream.hpp"
#include "link/mavlink/radio_status.hpp"
#include "mirror.hpp"
#include "net/datagram_batch.hpp"
#include "net/sockets.hpp"
#include "protocol/session/event.hpp"

namespace pqc_tunnel
{

// The local plaintext side of one peer: the socket for its application, and the optional mirror of
// what the vehicle sends.
class PlaintextSide
{
public:
  // Binds the socket; an error is one sentence. Host names wait for start_look_ups().
  static Result<PlaintextSide> open(
    PeerIndex peer, const PlaintextConfig & config, std::size_t receive_buffer_bytes);

  PeerIndex peer() const { return peer_; }
  const Socket & socket() const { return socket_; }

  // Connects a socket to the application, or again after `changed`; the first socket goes on counting strangers. Returns the
  // descriptor of a new one. There is none without `connects` or without a single address.
  std::optional<int> connect(bool connects, bool changed);

  // Receives datagrams of the local application, from the connected socket or the first one. Before they are sealed in
  // place, pass those that are not dropped (foreign or too old) to mirror_outward(), and call flush_mirror().
  std::size_t receive(ReceiveBatch & batch, bool connected, Instant now);
  // Returns whether the sender is not the configured application. If that is a broadcast address, any host may answer
  // from the port that it listens on.
  bool is_foreign(const Endpoint & source) const;
  void mirror_outward(ByteView datagram, const Endpoint & source);
  void flush_mirror()
  {
    if (mirror_.is_open()) {
      mirror_.flush();
    }
  }

  // Queues a datagram for the local application in a batch of this side alone. Returns false if its address is unknown.
  bool add(ByteView datagram, SendBatch & batch);
  // Shows a line of text in the local application as if the vehicle had sent it. The newest line waits until a
  // datagram of the vehicle has gone there: programs take the first system that they hear for the vehicle.
  void show(MavlinkSeverity severity, std::string_view text);
  // Tells the vehicle how much airtime it asks for in vain, unless a radio reports by itself.
  void report_load(Duration load, Instant now);
  // Calls refused(oversize) for each datagram that the socket did not accept.
  template <class Refused>
  void flush(SendBatch & batch, Refused && refused)
  {
    flush_mirror();
    batch.flush(
      connected_.is_open() ? connected_.fd() : socket_.fd.get(),
      [&refused](std::size_t, bool oversize) { refused(oversize); });
    application_.note_refusal(batch.refusal());
    if (!introduced_) {
      introduce();
    }
  }

  // --- Addresses and their trouble ---
  // Host names are looked up on threads of their own, which call `answered` when take_answers() has something new.
  void start_look_ups(const std::function<void()> & answered);
  // Looks up the host names again, since their addresses change.
  void ask_for_addresses();
  // Call it when the network has changed: the local programs' address may now be one for all of a network.
  void look_at_network();
  void take_answers();
  // Returns an event if trouble() has changed. Call it regularly.
  std::optional<Event> news(Instant now);
  // Returns why datagrams do not reach the local programs, in lower case without a full stop; empty: they do.
  const std::string & trouble() const { return trouble_; }

private:
  void search_system(ByteView datagram);
  void introduce();
  void send(ByteView frame);  // a frame of the tunnel itself

  PeerIndex peer_{};
  bool has_vehicle_ = false;  // the vehicle is on this side, not behind the tunnel
  Socket socket_;
  Destination application_;     // if not given: the latest sender
  ConnectedSocket connected_;   // to application_
  bool has_many_ = false;       // application_ is a broadcast or multicast address
  std::uint8_t system_ = 0;     // of the vehicle behind the tunnel; 0: not heard yet
  MavlinkStream search_;        // finds frames of the vehicle for system_
  std::uint64_t searched_ = 0;  // datagrams that search_ has had
  bool introduced_ = false;     // the application has had a datagram of the vehicle
  std::uint8_t sequence_ = 0;   // of the tunnel's own frames
  std::optional<std::pair<MavlinkSeverity, std::string>> waiting_;  // a line that show() was given
  RadioStatus radio_status_;
  Mirror mirror_;
  std::string trouble_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__SOCKETS__PLAINTEXT_SIDE_HPP_
