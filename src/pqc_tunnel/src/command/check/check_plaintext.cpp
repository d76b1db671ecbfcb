// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "end.hpp"
#include "net/address.hpp"
#include "net/address_scope.hpp"
#include "net/mavlink_ports.hpp"
#include "net/socket_address.hpp"

namespace pqc_tunnel::cli
{

namespace
{

// Where one drone's MAVLink goes to in clear.
void check_destination(
  const std::string & parameter, const HostPort & where, bool local_only, Findings & findings)
{
  if (where.port == 0) {
    return;
  }
  const auto found = resolve(where);
  if (!found) {
    findings.add_problem("Parameter " + parameter + ": " + found.error().message);
    return;
  }
  if (std::ranges::all_of(*found, is_loopback)) {
    return;
  }
  if (local_only) {
    findings.add_problem(
      "Parameter " + parameter + " is " + where.host +
      ", which plaintext_bind_address can't reach: from a loopback address nothing leaves this " +
      "machine.");
    return;
  }
  findings.add_warning(
    "Parameter " + parameter + " is " + where.host +
    ": MAVLink leaves this machine in clear, past the tunnel; anyone on that network can read it.");
}

void check_port(const std::string & parameter, std::uint16_t port, Findings & findings)
{
  if (const char * const program = usual_program(Transport::udp, port); program != nullptr) {
    findings.add_warning(
      "Parameter " + parameter + " is " + std::to_string(port) + ", a default port of " + program +
      ": its MAVLink would mix with that of the tunnel; choose another, such as 14590 to 14599.");
  }
}

}  // namespace

void check_plaintext(const End & end, Findings & findings)
{
  const EngineConfig & config = end.config;
  for (std::size_t i = 0; i < config.links.size(); ++i) {
    const std::string prefix =
      config.links.size() > 1 ? "link." + config.settings.paths.links[i].name + "." : "";
    check_port(prefix + "datagram_port", config.links[i].bind.port, findings);
  }
  const HostPort & bind = config.plaintext.bind;
  const auto local = resolve(bind);
  const bool is_local = local && is_loopback(local->front());
  if (local && !bind.host.empty() && !is_local) {
    findings.add_warning(
      "Parameter plaintext_bind_address is " + bind.host +
      ": everybody on the network who reaches it can read and command the vehicle in clear, past " +
      "the tunnel; use a loopback address, or close its ports with a firewall.");
  }
  for (const PlaintextConfig & side : end.plaintexts) {
    const std::string whose = side.name.empty() ? "" : " of " + side.name;
    check_destination("plaintext_peer_address" + whose, side.peer, is_local, findings);
    check_destination("mirror_address" + whose, side.mirror, false, findings);
    check_port("mirror_port" + whose, side.mirror.port, findings);
    if (side.peer.port == 0) {  // otherwise what other programs send is dropped
      check_port("plaintext_port" + whose, side.bind.port, findings);
    }
  }
}

}  // namespace pqc_tunnel::cli
