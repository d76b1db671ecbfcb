// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CONFIG__PARAMETER_FILE_HPP_
#define PQC_TUNNEL__CONFIG__PARAMETER_FILE_HPP_

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.hpp"

namespace pqc_tunnel
{

/// The value of a parameter as a file or a command line gives it.
using ParameterValue =
  std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>>;
/// By name.
using ParameterValues = std::map<std::string, ParameterValue>;

/// The node whose parameters the programs without ROS read, unless told otherwise.
inline constexpr const char * default_node = "/pqc/tunnel";

/// The text of a parameter file, if it is one that nobody else may write.
Result<std::string> read_parameter_file(const std::filesystem::path & file);

/// Reads the parameters which a ROS 2 parameter file gives to `node_name` ("/pqc/tunnel" or
/// "tunnel"): sections with this name or the wildcards * and **. Later sections override earlier
/// ones; nested names are joined by dots. Parameters of every node (use_sim_time, qos_overrides…) are left
/// out. A file of which no section is for the node is an error.
Result<ParameterValues> load_parameter_file(
  const std::filesystem::path & file, std::string_view node_name);

/// Reads a file of lines "name: value".
Result<ParameterValues> load_plain_file(const std::filesystem::path & file);

/// Whether ROS, or a library, declares this parameter in every node.
bool belongs_to_every_node(std::string_view name);

/// Reads "name:=value" as ROS does for -p.
Result<std::pair<std::string, ParameterValue>> parse_parameter_assignment(std::string_view text);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CONFIG__PARAMETER_FILE_HPP_
