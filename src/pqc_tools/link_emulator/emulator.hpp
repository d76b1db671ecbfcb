// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__LINK_EMULATOR__EMULATOR_HPP_
#define PQC_TOOLS__LINK_EMULATOR__EMULATOR_HPP_

#include <memory>
#include <optional>

#include "datagram_relay.hpp"
#include "pqc_tunnel/net/host_port.hpp"

namespace pqc_tunnel::link_emulator
{

struct RelayAddresses
{
  HostPort listen;
  HostPort forward;
};

struct EmulatorConfig
{
  Profile profile;
  std::uint64_t seed = 0;
  std::optional<RelayAddresses> udp;
};

// A link between sockets. Runs on one thread.
class Emulator
{
public:
  static Result<std::unique_ptr<Emulator>> open(const EmulatorConfig & config, Instant now);
  Emulator(const Emulator &) = delete;
  Emulator & operator=(const Emulator &) = delete;

  // Relays until `deadline` or until `interrupt` becomes readable (returns true).
  bool run_until(Instant deadline, const FileDescriptor & interrupt);

  Instant start() const { return link_.start(); }
  const DatagramRelay * datagrams() const { return datagrams_ ? &*datagrams_ : nullptr; }

private:
  Emulator(const EmulatorConfig & config, Instant now) : link_(config.profile, config.seed, now) {}
  Result<void> open_datagrams(const RelayAddresses & addresses);
  Instant next_timeout() const;

  Link link_;
  Poller poller_;
  bool watches_interrupt_ = false;
  std::optional<DatagramRelay> datagrams_;
};

}  // namespace pqc_tunnel::link_emulator

#endif  // PQC_TOOLS__LINK_EMULATOR__EMULATOR_HPP_
