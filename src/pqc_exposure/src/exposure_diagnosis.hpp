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

// The ids of the tunnels on this machine that have one of these ports, as far as this user can see them.
std::set<int> tunnels_with(const TunnelPorts & ports, const MachineSockets & machine);

// Level, message and values of a diagnosis of ways around the tunnel. An exposed socket is an error, and one that can't
// be judged is a warning. `own` are the ids of this process and of its tunnel: their findings come first. Unclear sockets of
// other tunnels are left to the nodes that know their ports.
diagnostic_msgs::msg::DiagnosticStatus diagnose_exposure(
  const Result<ExposureReport> & report, const std::set<int> & own);

// A text that stays the same while the same programs are exposed in the same way, independent of pids
// and of ports chosen by the system.
std::string exposure_fingerprint(const Result<ExposureReport> & report, const std::set<int> & own);

}  // namespace pqc_tunnel::exposure

#endif  // PQC_EXPOSURE__EXPOSURE_DIAGNOSIS_HPP_
