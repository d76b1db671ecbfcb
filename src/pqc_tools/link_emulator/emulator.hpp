// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__LINK_EMULATOR__EMULATOR_HPP_
#define PQC_TOOLS__LINK_EMULATOR__EMULATOR_HPP_

#include <filesystem>
#include <memory>
#include <utility>
#include <variant>

#include "datagram_relay.hpp"
#include "pqc_tunnel/net/host_port.hpp"
#include "serial_relay.hpp"

namespace pqc_tunnel::link_emulator
{

struct RelayAddresses
{
  HostPort listen;
  HostPort forward;
};

struct SerialPaths
{
  std::filesystem::path drone;
  std::filesystem::path ground;
};

struct EmulatorConfig
{
  Profile profile;
  std::uint64_t seed = 0;
  std::variant<RelayAddresses, SerialPaths> ends;
  FileDescriptor cut_signals = {};  // a signalfd: SIGUSR1 cuts the link, SIGUSR2 restores it
};

// A link between sockets or between serial devices. Runs on one thread.
class Emulator
{
public:
  static Result<std::unique_ptr<Emulator>> open(EmulatorConfig config, Instant now);
  Emulator(const Emulator &) = delete;
  Emulator & operator=(const Emulator &) = delete;

  // Relays until `deadline` or until `interrupt` becomes readable (returns true).
  bool run_until(Instant deadline, const FileDescriptor & interrupt);

  Instant start() const { return link_.start(); }
  const Relay & relay() const { return *relay_; }

private:
  Emulator(EmulatorConfig config, Instant now)
  : link_(config.profile, config.seed, now), cut_signals_(std::move(config.cut_signals))
  {
  }
  void handle_cut_signal();
  Result<std::unique_ptr<Relay>> open(const RelayAddresses & addresses);
  Result<std::unique_ptr<Relay>> open(const SerialPaths & paths);

  Link link_;
  Poller poller_;
  FileDescriptor cut_signals_;
  bool watches_interrupt_ = false;
  std::unique_ptr<Relay> relay_;
};

}  // namespace pqc_tunnel::link_emulator

#endif  // PQC_TOOLS__LINK_EMULATOR__EMULATOR_HPP_
