// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__LINK_EMULATOR__RELAYED_CONNECTION_HPP_
#define PQC_TOOLS__LINK_EMULATOR__RELAYED_CONNECTION_HPP_

#include <array>
#include <cstdint>
#include <optional>

#include "link.hpp"
#include "pqc_tunnel/base/endpoint.hpp"
#include "pqc_tunnel/net/poller.hpp"
#include "pqc_tunnel/net/stream_connection.hpp"
#include "stream_channel.hpp"

namespace pqc_tunnel::link_emulator
{

// One TCP connection across the link: the drone's, already open, and the one to the ground station, which opens half a
// round trip later. The drone's first bytes leave after a whole round trip, as if the connection had been opened across
// the link.
class RelayedConnection
{
public:
  enum class State : std::uint8_t
  {
    open,
    done,         // both directions have ended, or one end reset it
    unreachable,  // the ground station refused it
  };

  // `opened` is when the link lets the opening begin. Sides are polled as Source::connection with the number
  // 2 * number + Side.
  RelayedConnection(
    Link & link, Poller & poller, std::array<StreamCounters, 2> & counters, std::uint64_t number,
    FileDescriptor drone, const Endpoint & ground, Instant opened);
  RelayedConnection(const RelayedConnection &) = delete;
  RelayedConnection & operator=(const RelayedConnection &) = delete;

  void handle_ready(Side side, std::uint32_t events, Instant now);
  void handle_timeout(Instant now);
  Instant next_timeout(Instant now) const;
  State state() const { return state_; }
  // Closes both ends at once, with a reset.
  void abandon();

private:
  enum class Progress : std::uint8_t
  {
    waiting,  // not started
    connecting,
    open,
  };
  // One side and the state of its stream.
  struct End
  {
    std::optional<StreamConnection> stream;
    bool has_finished = false;  // nothing more is read from it
    bool end_sent = false;      // nothing more is written to it
    bool hung_up = false;       // in both directions; no longer polled
    std::uint32_t watched = 0;
  };
  void connect();
  void handle_connected();
  void read(Side side, Instant now);
  void deliver(Side from, Instant now);
  bool may_read(Side side, Instant now) const;
  void watch(Instant now);
  ReadyTag tag(Side side) const;
  End & end(Side side) { return ends_[index(side)]; }
  const End & end(Side side) const { return ends_[index(side)]; }
  StreamChannel & channel(Side from) { return channels_[index(from)]; }
  const StreamChannel & channel(Side from) const { return channels_[index(from)]; }

  Poller & poller_;
  std::uint64_t number_;
  Endpoint ground_;
  Instant connect_at_;
  Instant readable_at_;
  Progress progress_ = Progress::waiting;
  State state_ = State::open;
  std::array<End, 2> ends_;
  std::array<StreamChannel, 2> channels_;
};

}  // namespace pqc_tunnel::link_emulator

#endif  // PQC_TOOLS__LINK_EMULATOR__RELAYED_CONNECTION_HPP_
