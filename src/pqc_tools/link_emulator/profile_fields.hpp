// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__LINK_EMULATOR__PROFILE_FIELDS_HPP_
#define PQC_TOOLS__LINK_EMULATOR__PROFILE_FIELDS_HPP_

#include <yaml-cpp/yaml.h>

#include <functional>
#include <map>
#include <string>

#include "pqc_tunnel/base/result.hpp"

namespace pqc_tunnel::link_emulator
{

// Reads the value of a field; `name` is its full name, for errors.
using FieldReader = std::function<Result<void>(const std::string & name, const YAML::Node & value)>;
using Fields = std::map<std::string, FieldReader>;

// Reads the fields of a map; `prefix` precedes their names in errors, e.g. "both.".
Result<void> read_fields(const std::string & prefix, const YAML::Node & map, const Fields & fields);

struct NumberRange
{
  double from;
  double to;
  bool whole = false;
};
Result<double> read_number(
  const std::string & name, const YAML::Node & value, const NumberRange & range);

}  // namespace pqc_tunnel::link_emulator

#endif  // PQC_TOOLS__LINK_EMULATOR__PROFILE_FIELDS_HPP_
