// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "arguments.hpp"

#include <algorithm>

#include "base/nearest_name.hpp"

namespace pqc_tunnel::cli
{

namespace
{

tl::unexpected<Error> unknown(
  const std::string & name, const std::set<std::string> & options,
  const std::set<std::string> & flags)
{
  std::vector<std::string> known(options.begin(), options.end());
  known.insert(known.end(), flags.begin(), flags.end());
  return fail(
    ErrorCode::invalid_argument, "The option " + name + " is unknown" + suggestion(name, known));
}

}  // namespace

Result<Arguments> Arguments::parse(
  const std::vector<std::string> & words, const std::set<std::string> & options,
  const std::set<std::string> & flags)
{
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string & word = words[i];
    if (!word.starts_with('-') || word == "-") {
      arguments.rest_.push_back(word);
      continue;
    }
    const auto equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    const std::string name = word.substr(0, equals);
    if (flags.contains(name) && equals == std::string::npos) {
      arguments.values_[name].emplace_back();
    } else if (!options.contains(name)) {
      return unknown(name, options, flags);
    } else if (equals != std::string::npos) {
      arguments.values_[name].push_back(word.substr(equals + 1));
    } else if (i + 1 < words.size()) {
      arguments.values_[name].push_back(words[++i]);
    } else {
      return fail(ErrorCode::invalid_argument, "The option " + word + " needs a value.");
    }
  }
  return arguments;
}

std::optional<std::string> Arguments::value(const std::string & option) const
{
  const auto found = values_.find(option);
  return found == values_.end() ? std::nullopt : std::optional(found->second.back());
}

std::vector<std::string> Arguments::values(const std::string & option) const
{
  const auto found = values_.find(option);
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

std::vector<std::string> split(const std::string & text, char separator)
{
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const auto end = std::min(text.find(separator, begin), text.size());
    if (end > begin) {
      parts.push_back(text.substr(begin, end - begin));
    }
    begin = end + 1;
  }
  return parts;
}

std::string join(const std::vector<std::string> & texts)
{
  std::string joined;
  for (const std::string & text : texts) {
    joined += (joined.empty() ? "" : ", ") + text;
  }
  return joined;
}

}  // namespace pqc_tunnel::cli
