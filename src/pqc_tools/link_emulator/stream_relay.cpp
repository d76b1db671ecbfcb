// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "stream_relay.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

namespace pqc_tunnel::link_emulator
{

namespace
{

constexpr std::size_t most_connections = 256;

}  // namespace

StreamRelay::StreamRelay(Link & link, Poller & poller, Socket listener, Endpoint ground)
: link_(link),
  poller_(poller),
  listener_(std::move(listener)),
  ground_(ground),
  outages_{
    Outages(link.settings(Side::drone).outages, link.start()),
    Outages(link.settings(Side::ground).outages, link.start())}
{
  poller_.add(listener_.fd.get(), {Source::listener}, EPOLLIN);
}

std::optional<Instant> StreamRelay::outage_end(Instant now) const
{
  const auto up = outages_[0].end(now);
  const auto down = outages_[1].end(now);
  return up && down ? std::max(*up, *down) : (up ? up : down);
}

void StreamRelay::handle_listener(Instant now)
{
  FileDescriptor fd(::accept4(listener_.fd.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!fd) {
    return;
  }
  handle_timeout(now);  // an outage that begins now cuts earlier connections, not this one
  const auto outage = outage_end(now);
  if (
    connections_.size() >= most_connections ||
    (outage && link_.profile().in_outage != StreamOutage::stall))
  {
    ++counters_.refused;
    StreamConnection(std::move(fd)).abandon();
    return;
  }
  ++counters_.accepted;
  const int on = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  const std::uint64_t number = ++last_number_;
  connections_.emplace(
    number,
    std::make_unique<RelayedConnection>(
      link_, poller_, stream_counters_, number, std::move(fd), ground_, outage.value_or(now)));
  if (link_.profile().in_outage == StreamOutage::cut) {
    next_cut_ = std::min(outages_[0].next_start(now), outages_[1].next_start(now));
  }
}

void StreamRelay::handle_ready(std::uint64_t number, std::uint32_t events, Instant now)
{
  const auto found = connections_.find(number / 2);
  if (found != connections_.end()) {
    found->second->handle_ready(static_cast<Side>(number % 2), events, now);
  }
}

void StreamRelay::handle_timeout(Instant now)
{
  if (now >= next_cut_) {
    next_cut_ = Instant::max();
    counters_.cut += connections_.size();
    for (auto & [number, connection] : connections_) {
      connection->abandon();
    }
    connections_.clear();
  }
  for (auto it = connections_.begin(); it != connections_.end();) {
    it->second->handle_timeout(now);
    if (it->second->state() == RelayedConnection::State::open) {
      ++it;
      continue;
    }
    if (it->second->state() == RelayedConnection::State::unreachable) {
      ++counters_.unreachable;
    }
    it = connections_.erase(it);
  }
}

Instant StreamRelay::next_timeout(Instant now) const
{
  Instant next = connections_.empty() ? Instant::max() : next_cut_;
  for (const auto & [number, connection] : connections_) {
    next = std::min(next, connection->next_timeout(now));
  }
  return next;
}

}  // namespace pqc_tunnel::link_emulator
