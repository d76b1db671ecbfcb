// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NET__ADDRESS_HPP_
#define PQC_TUNNEL__NET__ADDRESS_HPP_

#include <string>
#include <vector>

#include "pqc_tunnel/base/endpoint.hpp"
#include "pqc_tunnel/base/result.hpp"
#include "pqc_tunnel/net/host_port.hpp"

namespace pqc_tunnel
{

// "a.b.c.d:port" or "[v6%interface]:port"; "nowhere" without an address.
std::string to_string(const Endpoint & endpoint);

// Whether the host is written as an address, so that resolving it asks nobody.
bool is_numeric(const std::string & host);

// Every address of the host, best first, each with the port. Blocks while a name server is asked.
Result<std::vector<Endpoint>> resolve(const HostPort & where);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NET__ADDRESS_HPP_
