// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__COMMAND__SHOW_TEXT_HPP_
#define PQC_TUNNEL__COMMAND__SHOW_TEXT_HPP_

#include <yaml-cpp/yaml.h>

#include <string>

namespace pqc_tunnel::cli
{

// The status of a tunnel, as the control socket gives it, in lines for a person.
std::string show_text(const std::string & tunnel, const YAML::Node & status);

// True if the tunnel of this status encrypts traffic with every peer.
bool is_up(const YAML::Node & status);

}  // namespace pqc_tunnel::cli

#endif  // PQC_TUNNEL__COMMAND__SHOW_TEXT_HPP_
