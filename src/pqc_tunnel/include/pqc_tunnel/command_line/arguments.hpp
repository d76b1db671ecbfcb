// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__COMMAND_LINE__ARGUMENTS_HPP_
#define PQC_TUNNEL__COMMAND_LINE__ARGUMENTS_HPP_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pqc_tunnel/base/result.hpp"

namespace pqc_tunnel::cli
{

// Exit codes of every tool.
inline constexpr int exit_success = 0;
inline constexpr int exit_cannot_run = 1;
inline constexpr int exit_usage = 2;

// A command line: --option value, --option=value, --flag, and the rest.
class Arguments
{
public:
  // `options` take a value, `flags` don't; "-x" names are written with their one dash.
  static Result<Arguments> parse(
    const std::vector<std::string> & words, const std::set<std::string> & options,
    const std::set<std::string> & flags);

  bool has(const std::string & flag) const { return values_.contains(flag); }
  // The last one given.
  std::optional<std::string> value(const std::string & option) const;
  // All, in order.
  std::vector<std::string> values(const std::string & option) const;
  const std::vector<std::string> & rest() const { return rest_; }

private:
  std::map<std::string, std::vector<std::string>> values_;
  std::vector<std::string> rest_;
};

// "a,b,c" -> {"a", "b", "c"}
std::vector<std::string> split(const std::string & text, char separator);

}  // namespace pqc_tunnel::cli

#endif  // PQC_TUNNEL__COMMAND_LINE__ARGUMENTS_HPP_
