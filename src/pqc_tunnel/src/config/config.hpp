// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CONFIG__CONFIG_HPP_
#define PQC_TUNNEL__CONFIG__CONFIG_HPP_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "engine_config.hpp"
#include "parameter_file.hpp"
#include "protocol/session/settings.hpp"

namespace pqc_tunnel
{

// The parameters of the ROS node and of pqc_tunneld; parameter_table.cpp has the one table.

// In the order of the alternatives of ParameterValue.
enum class ParameterType
{
  boolean,
  integer,
  number,
  string,
  string_list,
};

template <class T>
struct ParameterRange  // both ends included
{
  T from;
  T to;
};

struct ParameterSpec
{
  std::string name;
  ParameterType type;
  ParameterValue default_value;             // an empty string or port 0 may mean "required"
  std::string unit;                         // empty: none
  std::string description;                  // sentences
  std::string section = {};                 // heading in the generated files
  std::optional<Role> only = std::nullopt;  // the end that has it; none: both
  std::optional<ParameterRange<std::int64_t>> integer_range = std::nullopt;
  std::optional<ParameterRange<double>> number_range = std::nullopt;
  bool of_each_drone = false;  // the file of a drone may say otherwise

  bool belongs_to(Role role) const { return only.value_or(role) == role; }
};

// "drone" or "gcs".
std::optional<Role> parse_role(std::string_view text);
const char * to_string(Role role);
const char * to_string(ParameterType type);
// For messages; "empty" for an empty text.
std::string to_text(const ParameterValue & value);

// Every parameter of both ends. All are read-only: they take effect at the start. NAME in a name stands for each of those
// in the parameter links.
const std::vector<ParameterSpec> & parameter_table();
// Those of a role, with the links that `values` names in place of NAME, and the defaults of its profile.
std::vector<ParameterSpec> parameter_specs(Role role, const ParameterValues & values);

// True if a tunnel, and so its control socket, may be called that.
bool is_tunnel_name(std::string_view name);

// The value of the parameter role.
Result<Role> role_of(const ParameterValues & values);

// Checks types and ranges, fills in defaults and builds the configuration. A problem is one sentence
// that names the parameter, its value and the allowed values. An unknown name is rejected with the
// nearest known one. The first version returns the first problem as its error. The second appends every problem; after
// one the configuration is good only for further checks.
Result<EngineConfig> make_engine_config(Role role, const ParameterValues & values);
EngineConfig make_engine_config(
  Role role, const ParameterValues & values, std::vector<Error> & problems);

// The plaintext side of one drone of a ground station. `all` is that of all drones; the port of the drone with this number
// is that much higher. The file has parameters with `of_each_drone` as lines "name: value", and need not exist.
Result<PlaintextConfig> plaintext_of_drone(
  const PlaintextConfig & all, const std::string & drone, std::uint16_t number,
  const std::filesystem::path & file);
// True if a drone may be called that.
bool is_drone_name(std::string_view name);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CONFIG__CONFIG_HPP_
