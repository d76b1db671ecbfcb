// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NET__INTERFACES_HPP_
#define PQC_TUNNEL__NET__INTERFACES_HPP_

#include <string>
#include <vector>

#include "base/endpoint.hpp"
#include "base/result.hpp"
#include "host_port.hpp"
#include "socket_address.hpp"

namespace pqc_tunnel
{

/// Returns the index of a network interface that is up; the error says that it is missing or down. A device that was
/// plugged in again has another index. Any thread.
Result<unsigned> find_interface(const std::string & name);

/// Returns the names of the present network interfaces. Any thread.
std::vector<std::string> interface_names();

/// Returns true unless the host is a numeric address that no interface of this machine has now. Any thread.
bool is_own_address(const std::string & host);

/// Returns true for a multicast address, and for one that is now the broadcast address of a network of this machine. Any
/// thread.
bool reaches_many(const Endpoint & endpoint);

/// Returns the family of a socket to bind at `where`. Any thread.
SocketFamily family_to_bind(const HostPort & where);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NET__INTERFACES_HPP_
