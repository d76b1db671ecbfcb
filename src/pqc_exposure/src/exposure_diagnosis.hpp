// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_EXPOSURE__EXPOSURE_DIAGNOSIS_HPP_
#define PQC_EXPOSURE__EXPOSURE_DIAGNOSIS_HPP_

#include <diagnostic_msgs/msg/diagnostic_status.hpp>
#include <set>
#include <string>

#include "exposure.hpp"
#include "pqc_tunnel/base/result.hpp"

namespace pqc_tunnel::exposure
{

// Returns the process ids of tunnels on this machine with one of these ports, if this user can see them.
std::set<int> tunnels_with(const TunnelPorts & ports, const MachineSockets & machine);

// Returns a diagnosis of sockets that bypass the tunnel. An exposed socket is an error, and an unclear one a warning.
// `own`: ids of this process and its tunnel, whose findings come first. Unclear sockets of other tunnels are omitted,
// because other nodes know their ports.
diagnostic_msgs::msg::DiagnosticStatus diagnose_exposure(
  const Result<ExposureReport> & report, const std::set<int> & own);

// Returns a text that stays the same while the same programs are exposed in the same way. It is
// independent of pids and of ports chosen by the system.
std::string exposure_fingerprint(const Result<ExposureReport> & report, const std::set<int> & own);

}  // namespace pqc_tunnel::exposure

#endif  // PQC_EXPOSURE__EXPOSURE_DIAGNOSIS_HPP_
