// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__ENGINE__SOCKETS__GROUND_PROBE_HPP_
#define PQC_TUNNEL__ENGINE__SOCKETS__GROUND_PROBE_HPP_

#include "base/endpoint.hpp"
#include "net/poller.hpp"
#include "os/file_descriptor.hpp"
#include "protocol/handshake/handshake_failure.hpp"

namespace pqc_tunnel
{

// Asks the network about the way to the ground station with an empty datagram, which a tunnel ignores: a socket that is
// connected learns of ICMP errors. The tunnel's own socket is not, since anyone could forge them.
class GroundProbe
{
public:
  explicit GroundProbe(Poller & poller) : poller_(poller) {}

  // What is known at once.
  GroundTrouble send(const Endpoint & to);
  // The poller reports Source::probe.
  GroundTrouble handle_ready();

private:
  void close();

  Poller & poller_;
  FileDescriptor fd_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__SOCKETS__GROUND_PROBE_HPP_
