// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__OS__MACHINE_LOAD_HPP_
#define PQC_TUNNEL__OS__MACHINE_LOAD_HPP_

#include <optional>

#include "base/time.hpp"

namespace pqc_tunnel
{

// For how long the calling thread could have run so far, but had no processor; none if the system does not tell. A thread
// that is stopped, or sleeps, waits for no processor. Linux: Documentation/scheduler/sched-stats.rst.
std::optional<Duration> processor_wait();

// The share of the last ten seconds in which some program could have run, but had no processor: from 0 to 1; none if the
// system does not tell. Linux: Documentation/accounting/psi.rst.
std::optional<double> processor_pressure();

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__OS__MACHINE_LOAD_HPP_
