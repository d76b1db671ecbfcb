// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__OS__SERVICE_MANAGER_HPP_
#define PQC_TUNNEL__OS__SERVICE_MANAGER_HPP_

#include <chrono>
#include <string_view>

namespace pqc_tunnel
{

// Reports to systemd (sd_notify(3)), such as "READY=1" when the start is complete. Does nothing elsewhere.
void tell_service_manager(std::string_view state);

// Returns after which silence systemd starts the program anew: it wants to hear "WATCHDOG=1" (WatchdogSec). Zero: never.
std::chrono::microseconds watchdog_limit();

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__OS__SERVICE_MANAGER_HPP_
