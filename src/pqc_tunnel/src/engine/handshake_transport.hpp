// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__ENGINE__HANDSHAKE_TRANSPORT_HPP_
#define PQC_TUNNEL__ENGINE__HANDSHAKE_TRANSPORT_HPP_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pqc_tunnel/base/bytes.hpp"
#include "pqc_tunnel/base/endpoint.hpp"
#include "pqc_tunnel/base/ids.hpp"
#include "pqc_tunnel/net/poller.hpp"
#include "pqc_tunnel/net/sockets.hpp"
#include "pqc_tunnel/net/stream_connection.hpp"
#include "protocol/connection_end.hpp"

namespace pqc_tunnel
{

// The TCP connections of the handshake, by the numbers the core knows them under.
class HandshakeTransport
{
public:
  // A host with several addresses gets `patience` to answer at one of them.
  HandshakeTransport(Poller & poller, Duration patience)
  : poller_(poller), patience_(patience), buffer_(65536)
  {
  }

  // --- Ground station ---
  void listen(Socket listener);
  struct Accepted
  {
    ConnectionId connection;
    Endpoint from;
  };
  // One waiting connection, if there is one.
  std::optional<Accepted> accept();
  // Closes without sending what is queued.
  void reject(ConnectionId connection);

  // --- Drone ---
  // Connections come from this address; family none: from any.
  void connect_from(const Endpoint & address) { from_ = address; }
  // Tries the addresses one after the other; handle_ready() and handle_timeout() return the outcome.
  void connect(ConnectionId connection, std::vector<Endpoint> candidates, Instant now);

  // --- Both ---
  // False if the other end accepts nothing more, or the connection is gone: it is closed then.
  bool send(ConnectionId connection, Bytes bytes);
  // Closes after the queued bytes were sent. The other end has some seconds to read them; with many
  // closing connections, the oldest are closed first.
  void close(ConnectionId connection, Instant now);

  // News of one connection. `bytes` is valid until the next call.
  struct Progress
  {
    ConnectionId connection{};
    std::optional<Endpoint> connected;  // at this address
    ByteView bytes;
    std::optional<ConnectionEnd> closed;  // why; the connection is gone
  };
  Progress handle_ready(ConnectionId connection, std::uint32_t events, Instant now);
  // Attempts to connect that have timed out or failed at once.
  std::vector<Progress> handle_timeout(Instant now);
  Instant next_timeout() const;

private:
  struct Attempt  // to connect
  {
    FileDescriptor fd;
    std::vector<Endpoint> candidates;
    std::size_t current = 0;
    Instant deadline;
    ConnectionEnd last_error;
  };
  struct Closing
  {
    StreamConnection stream;
    Instant deadline;
  };

  bool begin(ConnectionId connection, Attempt & attempt, Instant now);
  Progress advance(ConnectionId connection, Attempt & attempt, ConnectionEnd error, Instant now);
  Progress handle_attempt(ConnectionId connection, Attempt & attempt, Instant now);
  void handle_closing(ConnectionId connection, Closing & closing);
  void watch(ConnectionId connection, const StreamConnection & stream);
  static ReadyTag tag(ConnectionId connection);

  Poller & poller_;
  Duration patience_;
  Bytes buffer_;
  Endpoint from_;
  Socket listener_;
  FileDescriptor spare_;  // released for a moment when descriptors run out
  std::uint64_t last_accepted_ = 0;
  std::map<ConnectionId, Attempt> attempts_;
  std::map<ConnectionId, StreamConnection> open_;
  std::map<ConnectionId, Closing> closing_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__HANDSHAKE_TRANSPORT_HPP_
