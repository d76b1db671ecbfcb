// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NET__HOST_PORT_HPP_
#define PQC_TUNNEL__NET__HOST_PORT_HPP_

#include <cstdint>
#include <string>

namespace pqc_tunnel
{

/// A host name or numeric address with a port. Each function documents the meaning of an empty host and of
/// port 0.
struct HostPort
{
  std::string host;
  std::uint16_t port = 0;

  bool operator==(const HostPort &) const = default;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NET__HOST_PORT_HPP_
