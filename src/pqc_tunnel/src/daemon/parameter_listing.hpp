// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__DAEMON__PARAMETER_LISTING_HPP_
#define PQC_TUNNEL__DAEMON__PARAMETER_LISTING_HPP_

#include <string>

#include "config/config.hpp"

namespace pqc_tunnel::cli
{

// Every parameter of a role, one per line, for a person. Those of the individual drones have NAME in their names.
std::string parameters_text(Role role);

// The same as a JSON array, for the generator of the configuration files and of docs/parameters.md: name, type,
// default, unit, section, description, and low and high where there is a range.
std::string parameters_json(Role role);

}  // namespace pqc_tunnel::cli

#endif  // PQC_TUNNEL__DAEMON__PARAMETER_LISTING_HPP_
