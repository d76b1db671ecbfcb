// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "emulator.hpp"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "pqc_tunnel/net/address.hpp"
#include "pqc_tunnel/os/clock.hpp"

namespace pqc_tunnel::link_emulator
{

namespace
{

constexpr std::uint64_t cut_number = 1;  // 0 is that of the interrupt

}  // namespace

Result<std::unique_ptr<Emulator>> Emulator::open(EmulatorConfig config, Instant now)
{
  const auto ends = config.ends;
  std::unique_ptr<Emulator> emulator(new Emulator(std::move(config), now));
  auto relay = std::visit([&](const auto & given) { return emulator->open(given); }, ends);
  if (!relay) {
    return tl::make_unexpected(relay.error());
  }
  emulator->relay_ = std::move(*relay);
  if (emulator->cut_signals_) {
    emulator->poller_.add(emulator->cut_signals_.get(), {Source::wake_up, cut_number}, EPOLLIN);
  }
  return emulator;
}

Result<std::unique_ptr<Relay>> Emulator::open(const RelayAddresses & addresses)
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
  return std::make_unique<DatagramRelay>(
    link_, poller_, std::move(*drone_side), std::move(*ground_side), ground->front());
}

Result<std::unique_ptr<Relay>> Emulator::open(const SerialPaths & paths)
{
  auto drone = SerialDevice::create(paths.drone);
  if (!drone) {
    return tl::make_unexpected(drone.error());
  }
  auto ground = SerialDevice::create(paths.ground);
  if (!ground) {
    return tl::make_unexpected(ground.error());
  }
  return std::make_unique<SerialRelay>(link_, poller_, std::move(*drone), std::move(*ground));
}

void Emulator::handle_cut_signal()
{
  signalfd_siginfo signal{};
  if (::read(cut_signals_.get(), &signal, sizeof(signal)) == sizeof(signal)) {
    relay_->cut(signal.ssi_signo == SIGUSR1);
  }
}

bool Emulator::run_until(Instant deadline, const FileDescriptor & interrupt)
{
  if (!std::exchange(watches_interrupt_, true)) {
    poller_.add(interrupt.get(), {Source::wake_up}, EPOLLIN);
  }
  bool interrupted = false;
  for (Instant now = monotonic_now(); now < deadline && !interrupted;) {
    const auto ready = poller_.wait(std::min(deadline, relay_->next_timeout()));
    now = monotonic_now();
    for (const epoll_event & event : ready) {
      const ReadyTag tag = ReadyTag::unpack(event.data.u64);
      if (tag.source == Source::wake_up && tag.number == cut_number) {
        handle_cut_signal();
      } else if (tag.source == Source::wake_up) {
        interrupted = true;
      } else if (tag.source == Source::link) {
        relay_->handle_readable(static_cast<Side>(tag.number), now);
      }
    }
    relay_->handle_timeout(now);
  }
  return interrupted;
}

}  // namespace pqc_tunnel::link_emulator
