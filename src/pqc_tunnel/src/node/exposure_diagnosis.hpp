// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NODE__EXPOSURE_DIAGNOSIS_HPP_
#define PQC_TUNNEL__NODE__EXPOSURE_DIAGNOSIS_HPP_

#include <string>

#include "diagnosis.hpp"
#include "exposure/exposure.hpp"
#include "pqc_tunnel/base/result.hpp"

namespace pqc_tunnel
{

// Diagnosis of ways around the tunnel. An exposed socket is an error, of this process or another; one
// that can't be judged is a warning. Unclear sockets of other tunnels on this machine are left to
// their own diagnostics.
Diagnosis diagnose_exposure(const Result<ExposureReport> & report, int own_pid);

// A text that stays the same while the same programs are exposed in the same way, independent of pids
// and of ports chosen by the system.
std::string exposure_fingerprint(const Result<ExposureReport> & report, int own_pid);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NODE__EXPOSURE_DIAGNOSIS_HPP_
