// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "datagram_relay.hpp"

#include <linux/sock_diag.h>
#include <sys/socket.h>

#include <algorithm>
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
: sockets_{std::move(drone_side), std::move(ground_side)},
  channels_{
    DatagramChannel(
      link.settings(Side::drone), link.bottleneck(Side::drone), link.datagram_seed(Side::drone),
      link.start()),
    DatagramChannel(
      link.settings(Side::ground), link.bottleneck(Side::ground), link.datagram_seed(Side::ground),
      link.start())},
  addresses_{Endpoint(), ground},
  counters_{},
  received_(0, longest_datagram, 0)
{
  kept_.reserve(batch_size);
  for (const Side side : both_sides) {
    poller.add(sockets_[index(side)].fd.get(), {Source::link, index(side)}, EPOLLIN);
  }
}

void DatagramRelay::handle_readable(Side side, Instant now)
{
  const std::size_t count = received_.receive(sockets_[index(side)].fd.get());
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

void DatagramRelay::handle_timeout(Instant now)
{
  for (const Side side : both_sides) {
    send_due(side, now);
  }
}

Instant DatagramRelay::next_timeout() const
{
  return std::min(channels_[0].next_timeout(), channels_[1].next_timeout());
}

void DatagramRelay::send_due(Side from, Instant now)
{
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

DatagramRelay::SocketCounters DatagramRelay::socket_counters(Side side) const
{
  SocketCounters counters = counters_[index(side)];
  counters.kernel_drops = kernel_drops(sockets_[index(side)].fd.get());
  return counters;
}

}  // namespace pqc_tunnel::link_emulator
