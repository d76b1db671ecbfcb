// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__COMMAND__CHECK__LIVE_HPP_
#define PQC_TUNNEL__COMMAND__CHECK__LIVE_HPP_

#include <yaml-cpp/yaml.h>

#include <string>

#include "command/measure_echoes.hpp"
#include "findings.hpp"

namespace pqc_tunnel::cli
{

// What the doctor says of a running tunnel, from its status.

// Whether the running tunnel is the installed program.
void check_versions(const std::string & tunnel, const YAML::Node & status, Findings & findings);
// Whether every peer is there and encrypted, and whether strangers knock.
void check_peers(const std::string & tunnel, const YAML::Node & status, Findings & findings);
// Whether the other end answers, is of this version, and gets packets of the configured length.
void check_echoes(const Echoes & echoes, Findings & findings);
// Whether MAVLink flows, and fits the links. `seconds` lie between the two.
void check_streams(
  const YAML::Node & before, const YAML::Node & after, double seconds, Findings & findings);

// What `pqc exposure --json` prints.
void check_exposure(const std::string & report, Findings & findings);

}  // namespace pqc_tunnel::cli

#endif  // PQC_TUNNEL__COMMAND__CHECK__LIVE_HPP_
