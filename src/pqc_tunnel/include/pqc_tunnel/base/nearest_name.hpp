// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__BASE__NEAREST_NAME_HPP_
#define PQC_TUNNEL__BASE__NEAREST_NAME_HPP_

#include <string>
#include <string_view>
#include <vector>

namespace pqc_tunnel
{

// The one of `known` that differs from `name` in the fewest characters, for "did you mean …?".
std::string nearest_name(std::string_view name, const std::vector<std::string> & known);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__BASE__NEAREST_NAME_HPP_
