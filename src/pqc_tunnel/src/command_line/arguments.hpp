// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__COMMAND_LINE__ARGUMENTS_HPP_
#define PQC_TUNNEL__COMMAND_LINE__ARGUMENTS_HPP_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace pqc_tunnel::cli
{

/// Exit codes of every tool.
inline constexpr int exit_success = 0;
inline constexpr int exit_cannot_run = 1;
inline constexpr int exit_usage = 2;

/// A parsed command line: --option value, --option=value, --flag, and the rest.
class Arguments
{
public:
  /// Parses `words`. `options` take a value, `flags` do not; short names are given with their dash ("-h").
  /// Error `invalid_argument` for an unknown option, a missing value or a value after a flag.
  static Result<Arguments> parse(
    const std::vector<std::string> & words, const std::set<std::string> & options,
    const std::set<std::string> & flags);

  /// True if the flag or option was given.
  bool has(const std::string & flag) const { return values_.contains(flag); }
  /// The last value of an option.
  std::optional<std::string> value(const std::string & option) const;
  /// All values of an option, in order.
  std::vector<std::string> values(const std::string & option) const;
  /// The words that belong to no option.
  const std::vector<std::string> & rest() const { return rest_; }

private:
  std::map<std::string, std::vector<std::string>> values_;
  std::vector<std::string> rest_;
};

/// Splits a text: "a,b,c" gives {"a", "b", "c"}.
std::vector<std::string> split(const std::string & text, char separator);
/// Joins texts for a person: {"a", "b", "c"} gives "a, b, c".
std::string join(const std::vector<std::string> & texts);

}  // namespace pqc_tunnel::cli

#endif  // PQC_TUNNEL__COMMAND_LINE__ARGUMENTS_HPP_
