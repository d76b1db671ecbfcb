// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__COMMAND_LINE__WORDS_HPP_
#define PQC_TUNNEL__COMMAND_LINE__WORDS_HPP_

#include <string>
#include <vector>

namespace pqc_tunnel::cli
{

/// Splits a text: "a,b,c" gives {"a", "b", "c"}.
std::vector<std::string> split(const std::string & text, char separator);
/// Joins texts for a person: {"a", "b", "c"} gives "a, b, c".
std::string join(const std::vector<std::string> & texts);

}  // namespace pqc_tunnel::cli

#endif  // PQC_TUNNEL__COMMAND_LINE__WORDS_HPP_
