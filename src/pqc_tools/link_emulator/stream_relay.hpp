// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__LINK_EMULATOR__STREAM_RELAY_HPP_
#define PQC_TOOLS__LINK_EMULATOR__STREAM_RELAY_HPP_

#include <array>
#include <cstdint>
#include <map>
#include <memory>

#include "counters.hpp"
#include "link.hpp"
#include "outages.hpp"
#include "pqc_tunnel/net/poller.hpp"
#include "pqc_tunnel/net/sockets.hpp"
#include "relayed_connection.hpp"

namespace pqc_tunnel::link_emulator
{

// The TCP path: accepts connections from the drone and opens one to the ground station for each.
class StreamRelay
{
public:
  struct Counters
  {
    std::uint64_t accepted = 0;
    std::uint64_t refused = 0;      // in an outage, or too many at once
    std::uint64_t cut = 0;          // by an outage
    std::uint64_t unreachable = 0;  // the ground station refused the connection
  };

  // Watches the listener as Source::listener, connections as Source::connection.
  StreamRelay(Link & link, Poller & poller, Socket listener, Endpoint ground);

  void handle_listener(Instant now);
  // `number` comes from the ready tag.
  void handle_ready(std::uint64_t number, std::uint32_t events, Instant now);
  void handle_timeout(Instant now);
  Instant next_timeout(Instant now) const;

  std::uint16_t port() const { return listener_.port; }
  const Counters & counters() const { return counters_; }
  const StreamCounters & counters(Side side) const { return stream_counters_[index(side)]; }
  std::size_t open() const { return connections_.size(); }

private:
  // The end of the current outage; an outage of either direction stops a connection.
  std::optional<Instant> outage_end(Instant now) const;

  Link & link_;
  Poller & poller_;
  Socket listener_;
  Endpoint ground_;
  std::array<Outages, 2> outages_;
  Instant next_cut_ = Instant::max();
  std::array<StreamCounters, 2> stream_counters_ = {};
  Counters counters_;
  std::uint64_t last_number_ = 0;
  std::map<std::uint64_t, std::unique_ptr<RelayedConnection>> connections_;
};

}  // namespace pqc_tunnel::link_emulator

#endif  // PQC_TOOLS__LINK_EMULATOR__STREAM_RELAY_HPP_
