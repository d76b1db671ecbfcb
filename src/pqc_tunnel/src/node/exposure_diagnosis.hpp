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

// What an operator should know about ways around the tunnel. What is exposed is an error, be it of
// this process or of another; what can't be told is a warning. Other tunnels on this machine know
// their encrypted ports best: what is unclear about them is left to their own diagnostics.
Diagnosis diagnose_exposure(const Result<ExposureReport> & report, int own_pid);

// The same text as long as the same programs are exposed in the same way, whatever their pids and
// the ports that the system chose for them.
std::string exposure_fingerprint(const Result<ExposureReport> & report, int own_pid);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NODE__EXPOSURE_DIAGNOSIS_HPP_
