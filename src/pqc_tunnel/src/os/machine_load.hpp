// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__OS__MACHINE_LOAD_HPP_
#define PQC_TUNNEL__OS__MACHINE_LOAD_HPP_

#include <optional>

#include "base/time.hpp"

namespace pqc_tunnel
{

// Returns for how long the calling thread has been ready to run without a processor; none if the system does not tell.
// Time in which a thread is stopped or sleeps does not count. Linux: Documentation/scheduler/sched-stats.rst.
std::optional<Duration> processor_wait();

// Returns the share (0 to 1) of the last ten seconds in which some program was ready to run without a processor; none
// if the system does not tell. Linux: Documentation/accounting/psi.rst.
std::optional<double> processor_pressure();

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__OS__MACHINE_LOAD_HPP_
