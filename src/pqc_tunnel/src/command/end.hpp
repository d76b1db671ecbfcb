// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__COMMAND__END_HPP_
#define PQC_TUNNEL__COMMAND__END_HPP_

#include <string>
#include <vector>

#include "config/config.hpp"

namespace pqc_tunnel::cli
{

// The parameters of one end, as far as they could be read.
struct End
{
  ParameterValues values;  // complete
  EngineConfig config;
};

// The result of a check, in sentences.
struct Findings
{
  std::vector<std::string> problems;
  std::vector<std::string> warnings;
  std::vector<std::string> notes;
};

// The keys of this end: whether they can be used by this process, and for the suites and drones of the parameters.
void check_identity(const EngineConfig & config, Findings & findings);

// Checks that the ports are free, unless this tunnel runs, and that host names resolve. May wait for a name server.
void check_sockets(const EngineConfig & config, Findings & findings);

// Checks who else can reach the readable side, and that its addresses are known. May wait for a name server.
void check_plaintext(const EngineConfig & config, Findings & findings);

// Checks that both ends agree where they must.
void compare_ends(const End & one, const End & other, Findings & findings);

}  // namespace pqc_tunnel::cli

#endif  // PQC_TUNNEL__COMMAND__END_HPP_
