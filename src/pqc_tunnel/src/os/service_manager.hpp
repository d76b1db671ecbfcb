// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__OS__SERVICE_MANAGER_HPP_
#define PQC_TUNNEL__OS__SERVICE_MANAGER_HPP_

namespace pqc_tunnel
{

// Reports to systemd that the start is complete (sd_notify(3), Type=notify). Does nothing elsewhere.
void report_ready();

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__OS__SERVICE_MANAGER_HPP_
