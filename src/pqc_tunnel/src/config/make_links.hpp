// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CONFIG__MAKE_LINKS_HPP_
#define PQC_TUNNEL__CONFIG__MAKE_LINKS_HPP_

#include "engine_config.hpp"
#include "parameter_reader.hpp"

namespace pqc_tunnel
{

// Fills in the links, how they are used, the longest datagram that they carry, and the name of the ground station.
void make_links(Role role, const Reader & values, EngineConfig & config, Problems & problems);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CONFIG__MAKE_LINKS_HPP_
