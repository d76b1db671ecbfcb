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

// Probes the network path to the ground station with an empty datagram, which a tunnel ignores. Its socket is connected
// and so receives ICMP errors. The tunnel's own socket is not, because anyone could forge them.
class GroundProbe
{
public:
  explicit GroundProbe(Poller & poller) : poller_(poller) {}

  // Sends the datagram and returns an error that the system reports at once.
  GroundTrouble send(const Endpoint & to);
  // Call it when the poller reports Source::probe.
  GroundTrouble handle_ready();

private:
  void close();

  Poller & poller_;
  FileDescriptor fd_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__SOCKETS__GROUND_PROBE_HPP_
