// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CONFIG__EXPOSURE_PARAMETERS_HPP_
#define PQC_TUNNEL__CONFIG__EXPOSURE_PARAMETERS_HPP_

#include <vector>

#include "config.hpp"
#include "exposure/exposure_options.hpp"
#include "pqc_tunnel/base/result.hpp"

namespace pqc_tunnel
{

// The ports of a tunnel with these parameters.
Result<TunnelPorts> tunnel_ports(const ParameterValues & values);

// Each entry of the parameter exposure.allow.
Result<std::vector<AllowedSocket>> allowed_sockets(const ParameterValues & values);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CONFIG__EXPOSURE_PARAMETERS_HPP_
