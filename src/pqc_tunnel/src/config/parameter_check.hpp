// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CONFIG__PARAMETER_CHECK_HPP_
#define PQC_TUNNEL__CONFIG__PARAMETER_CHECK_HPP_

#include <string>
#include <string_view>
#include <vector>

#include "config.hpp"

namespace pqc_tunnel
{

// Every parameter of the role with its value: those given, checked for name, type and range, and
// defaults. The first version returns the first problem as its error; the second appends every problem and replaces
// a bad value by its default.
Result<ParameterValues> complete_parameters(Role role, const ParameterValues & given);
ParameterValues complete_parameters(
  Role role, const ParameterValues & given, std::vector<Error> & problems);
// The same for these parameters only.
ParameterValues complete_parameters(
  const std::vector<ParameterSpec> & specs, const ParameterValues & given,
  std::vector<Error> & problems);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CONFIG__PARAMETER_CHECK_HPP_
