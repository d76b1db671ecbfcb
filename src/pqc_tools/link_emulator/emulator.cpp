// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "emulator.hpp"

#include <algorithm>
#include <utility>

#include "pqc_tunnel/net/address.hpp"
#include "pqc_tunnel/os/clock.hpp"

namespace pqc_tunnel::link_emulator
{

namespace
{

// Large enough for a flood of small datagrams, so that only the profile causes losses.
constexpr std::size_t receive_buffer_bytes = std::size_t{4} << 20;

}  // namespace

Result<std::unique_ptr<Emulator>> Emulator::open(const EmulatorConfig & config, Instant now)
{
  std::unique_ptr<Emulator> emulator(new Emulator(config, now));
  if (config.udp) {
    if (auto opened = emulator->open_datagrams(*config.udp); !opened) {
      return tl::make_unexpected(opened.error());
    }
  }
  return emulator;
}

Result<void> Emulator::open_datagrams(const RelayAddresses & addresses)
{
  const auto ground = resolve(addresses.forward);
  if (!ground) {
    return tl::make_unexpected(ground.error());
  }
  auto drone_side =
    open_datagram_socket(addresses.listen, receive_buffer_bytes, "the drone's side");
  if (!drone_side) {
    return tl::make_unexpected(drone_side.error());
  }
  auto ground_side = open_datagram_socket({}, receive_buffer_bytes, "the ground's side");
  if (!ground_side) {
    return tl::make_unexpected(ground_side.error());
  }
  datagrams_.emplace(
    link_, poller_, std::move(*drone_side), std::move(*ground_side), ground->front());
  return {};
}

bool Emulator::run_until(Instant deadline, const FileDescriptor & interrupt)
{
  if (!std::exchange(watches_interrupt_, true)) {
    poller_.add(interrupt.get(), {Source::wake_up}, EPOLLIN);
  }
  bool interrupted = false;
  for (Instant now = monotonic_now(); now < deadline && !interrupted;) {
    const auto ready = poller_.wait(std::min(deadline, next_timeout()));
    now = monotonic_now();
    for (const epoll_event & event : ready) {
      const ReadyTag tag = ReadyTag::unpack(event.data.u64);
      if (tag.source == Source::wake_up) {
        interrupted = true;
      } else if (tag.source == Source::link) {
        datagrams_->handle_readable(static_cast<Side>(tag.number), now);
      }
    }
    if (datagrams_) {
      datagrams_->handle_timeout(now);
    }
  }
  return interrupted;
}

Instant Emulator::next_timeout() const
{
  return datagrams_ ? datagrams_->next_timeout() : Instant::max();
}

}  // namespace pqc_tunnel::link_emulator
