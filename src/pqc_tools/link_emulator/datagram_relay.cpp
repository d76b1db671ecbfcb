// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "datagram_relay.hpp"

#include <linux/sock_diag.h>
#include <sys/socket.h>

#include <utility>

#include "pqc_tunnel/net/socket_address.hpp"

namespace pqc_tunnel::link_emulator
{

namespace
{

constexpr std::size_t longest_datagram = 65535;

std::uint64_t kernel_drops(int fd)
{
  std::array<std::uint32_t, SK_MEMINFO_VARS> values{};
  socklen_t length = sizeof(values);
  if (::getsockopt(fd, SOL_SOCKET, SO_MEMINFO, values.data(), &length) != 0) {
    return 0;
  }
  return values[SK_MEMINFO_DROPS];
}

}  // namespace

DatagramRelay::DatagramRelay(
  Link & link, Poller & poller, Socket drone_side, Socket ground_side, Endpoint ground)
: Relay(link),
  poller_(poller),
  sockets_{std::move(drone_side), std::move(ground_side)},
  addresses_{Endpoint(), ground},
  rebind_interval_(link.profile().nat_rebind),
  received_(0, longest_datagram, 0)
{
  kept_.reserve(batch_size);
  if (rebind_interval_) {
    next_rebind_ = link.start() + *rebind_interval_;
  }
  for (const Side side : both_sides) {
    poller.add(sockets_[index(side)].fd.get(), {Source::link, index(side)}, EPOLLIN);
  }
}

void DatagramRelay::handle_readable(Side side, Instant now)
{
  const std::size_t count = received_.receive(sockets_[index(side)].fd.get(), now);
  for (std::size_t i = 0; i < count; ++i) {
    const Endpoint from = to_endpoint(received_.source(i));
    if (side == Side::drone) {
      addresses_[index(Side::drone)] = from;
    } else if (from != addresses_[index(Side::ground)]) {
      ++counters_[index(side)].strangers;
      continue;
    }
    channels_[index(side)].handle_datagram(received_.datagram(i), now);
  }
}

void DatagramRelay::rebind()
{
  auto fresh = open_datagram_socket({}, receive_buffer_bytes, "the ground's side");
  if (!fresh) {
    return;  // no port is free, so the old one stays
  }
  Socket & socket = sockets_[index(Side::ground)];
  poller_.remove(socket.fd.get());
  socket = std::move(*fresh);
  poller_.add(socket.fd.get(), {Source::link, index(Side::ground)}, EPOLLIN);
  ++rebinds_;
}

void DatagramRelay::send_due(Side from, Instant now)
{
  if (now >= next_rebind_) {
    next_rebind_ += *rebind_interval_;
    rebind();
  }
  const Socket & socket = sockets_[index(opposite(from))];
  const Endpoint & to = addresses_[index(opposite(from))];
  std::uint64_t & unsent = counters_[index(from)].unsent;
  const auto flush = [&] {
    sending_.flush(socket.fd.get(), [&unsent](std::size_t, bool) { ++unsent; });
    kept_.clear();
  };
  while (auto delivery = channels_[index(from)].poll_delivery(now)) {
    kept_.push_back(std::move(delivery->bytes));
    if (!sending_.add(kept_.back(), to, socket.family)) {
      ++unsent;
      kept_.pop_back();
    }
    if (sending_.full()) {
      flush();
    }
  }
  flush();
}

Relay::EndCounters DatagramRelay::end_counters(Side side) const
{
  EndCounters counters = counters_[index(side)];
  counters.kernel_drops = kernel_drops(sockets_[index(side)].fd.get());
  return counters;
}

}  // namespace pqc_tunnel::link_emulator
