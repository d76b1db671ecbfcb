// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_EXPOSURE__EXPOSURE_ADVICE_HPP_
#define PQC_EXPOSURE__EXPOSURE_ADVICE_HPP_

#include <string>
#include <vector>

#include "exposure.hpp"
#include "process_identity.hpp"
#include "socket_table.hpp"

namespace pqc_tunnel::exposure
{

// The texts of a finding. A problem begins with the program; problem and advice end without a full stop.

// Returns text like "mavros_node (pid 123)".
std::string who(const std::string & process, int pid);

// All `sockets` must have the same state.
std::string describe_problem(
  const std::string & who, ExposureKind kind, const std::vector<SocketRow> & sockets);

std::string mend_mavlink(const std::string & name, MavlinkProgram program, const SocketRow & row);
std::string mend_plaintext();
std::string mend_dds(Middleware middleware);
std::string mend_zenoh(const SocketRow & row);
std::string mend_unclear(const std::string & name, const SocketRow & row);
std::string mend_unknown_ports();

}  // namespace pqc_tunnel::exposure

#endif  // PQC_EXPOSURE__EXPOSURE_ADVICE_HPP_
