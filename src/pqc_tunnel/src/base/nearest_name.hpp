// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__BASE__NEAREST_NAME_HPP_
#define PQC_TUNNEL__BASE__NEAREST_NAME_HPP_

#include <string>
#include <string_view>
#include <vector>

namespace pqc_tunnel
{

/// Returns the entry of `known` with the smallest edit distance to `name`, for "did you mean …?". `known` must
/// not be empty.
std::string nearest_name(std::string_view name, const std::vector<std::string> & known);

/// Returns the end of a sentence about an unknown name: "; did you mean …?" if about half of its letters or more are those
/// of an entry of `known`, else ".".
std::string suggestion(std::string_view name, const std::vector<std::string> & known);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__BASE__NEAREST_NAME_HPP_
