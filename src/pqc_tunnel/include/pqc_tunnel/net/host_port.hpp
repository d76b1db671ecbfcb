// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NET__HOST_PORT_HPP_
#define PQC_TUNNEL__NET__HOST_PORT_HPP_

#include <cstdint>
#include <string>

namespace pqc_tunnel
{

// A host name or numeric address with a port; its user says what an empty host or port 0 means.
struct HostPort
{
  std::string host;
  std::uint16_t port = 0;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NET__HOST_PORT_HPP_
