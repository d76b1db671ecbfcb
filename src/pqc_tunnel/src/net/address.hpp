// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NET__ADDRESS_HPP_
#define PQC_TUNNEL__NET__ADDRESS_HPP_

#include <string>
#include <vector>

#include "base/endpoint.hpp"
#include "base/result.hpp"
#include "host_port.hpp"

namespace pqc_tunnel
{

/// Returns "a.b.c.d:port" or "[v6%interface]:port"; "nowhere" without an address. Any thread.
std::string to_string(const Endpoint & endpoint);

/// Returns true if the host is a numeric address, which resolves without a name server. Any thread.
bool is_numeric(const std::string & host);

/// Resolves a host to all its addresses, best first, each with the port. Error `unavailable` if there is none.
/// May block on a name server. Any thread.
Result<std::vector<Endpoint>> resolve(const HostPort & where);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NET__ADDRESS_HPP_
