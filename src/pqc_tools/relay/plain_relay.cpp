// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "plain_relay.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <utility>

#include "pqc_tunnel/net/address.hpp"
#include "pqc_tunnel/os/clock.hpp"

namespace pqc_tunnel::relay
{

Result<std::unique_ptr<PlainRelay>> PlainRelay::open(RelayOptions options, FileDescriptor signals)
{
  std::unique_ptr<PlainRelay> relay(new PlainRelay(std::move(options), std::move(signals)));
  auto link =
    open_datagram_socket(relay->options_.link, relay->options_.receive_buffer_bytes, "the link");
  if (!link) {
    return tl::make_unexpected(link.error());
  }
  relay->link_ = std::move(*link);
  relay->poller_.add(relay->link_.fd.get(), {Source::link}, EPOLLIN);
  for (std::size_t i = 0; i < relay->options_.plaintexts.size(); ++i) {
    if (const auto added = relay->add_drone(i); !added) {
      return tl::make_unexpected(added.error());
    }
  }
  std::ranges::sort(relay->drones_, {}, [](const Drone & drone) { return drone.peer.port; });
  for (std::size_t i = 0; i < relay->drones_.size(); ++i) {
    relay->poller_.add(relay->drones_[i].plaintext.fd.get(), {Source::plaintext, i}, EPOLLIN);
  }
  return relay;
}

PlainRelay::PlainRelay(RelayOptions options, FileDescriptor signals)
: options_(std::move(options)), signals_(std::move(signals)), in_(0, options_.max_datagram, 0)
{
  poller_.add(signals_.get(), {Source::wake_up}, EPOLLIN);
}

Result<void> PlainRelay::add_drone(std::size_t index)
{
  auto plaintext = open_datagram_socket(
    options_.plaintexts[index], options_.receive_buffer_bytes, "the application");
  const auto application = resolve(options_.applications[index]);
  const auto peer = resolve(options_.peers[index]);
  if (!plaintext || !application || !peer) {
    return tl::make_unexpected(
      !plaintext ? plaintext.error() : (!application ? application : peer).error());
  }
  drones_.push_back({std::move(*plaintext), application->front(), peer->front()});
  return {};
}

void PlainRelay::run()
{
  for (;;) {
    for (const epoll_event & event : poller_.wait(Instant::max())) {
      const ReadyTag tag = ReadyTag::unpack(event.data.u64);
      if (tag.source == Source::wake_up) {
        return;
      }
      const Drone * drone = tag.source == Source::plaintext ? &drones_[tag.number] : nullptr;
      forward(drone);
    }
  }
}

PlainRelay::Way PlainRelay::way(const Drone * drone, const sockaddr_storage & source) const
{
  if (drone != nullptr) {
    return {&link_, &drone->peer};
  }
  if (drones_.size() == 1) {
    return {&drones_[0].plaintext, &drones_[0].application};
  }
  const Endpoint from = to_endpoint(source);
  const auto port = [](const Drone & one) { return one.peer.port; };
  for (auto at = std::ranges::lower_bound(drones_, from.port, {}, port);
       at != drones_.end() && at->peer.port == from.port; ++at)
  {
    if (at->peer == from) {
      return {&at->plaintext, &at->application};
    }
  }
  return {};
}

void PlainRelay::forward(const Drone * drone)
{
  const int from = (drone != nullptr ? drone->plaintext : link_).fd.get();
  const std::size_t received =
    options_.batched ? in_.receive(from, monotonic_now()) : in_.receive_one(from);
  const Socket * by = nullptr;
  const auto flush = [&] {
    if (by != nullptr) {
      out_.flush(by->fd.get(), [](std::size_t, bool) {});
    }
  };
  for (std::size_t i = 0; i < received; ++i) {
    const Way next = way(drone, in_.source(i));
    if (next.by == nullptr || in_.truncated(i)) {
      continue;
    }
    if (next.by != by) {
      flush();
      by = next.by;
    }
    out_.add(in_.datagram(i), *next.to, by->family);
  }
  flush();
}

}  // namespace pqc_tunnel::relay
