// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "profile_fields.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <vector>

#include "pqc_tunnel/base/nearest_name.hpp"

namespace pqc_tunnel::link_emulator
{

namespace
{

std::string to_text(double value)
{
  std::array<char, 64> digits{};
  const auto format = std::chars_format::fixed;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, format);
  return std::string(digits.data(), end.ptr);
}

tl::unexpected<Error> unknown_field(
  const std::string & prefix, const std::string & name, const Fields & fields)
{
  std::vector<std::string> known;
  for (const auto & [field, reader] : fields) {
    known.push_back(field);
  }
  return fail(
    ErrorCode::invalid_argument, "the field " + prefix + name + " is unknown; did you mean " +
                                   prefix + nearest_name(name, known) + "?");
}

}  // namespace

Result<void> read_fields(const std::string & prefix, const YAML::Node & map, const Fields & fields)
{
  if (!map.IsMap()) {
    const std::string owner = prefix.empty() ? "the file" : prefix.substr(0, prefix.size() - 1);
    return fail(ErrorCode::invalid_argument, owner + " must hold lines of the form name: value.");
  }
  std::set<std::string> seen;
  for (const auto & entry : map) {
    if (!entry.first.IsScalar()) {
      return fail(ErrorCode::invalid_argument, "a name of a field must be one word.");
    }
    const std::string & name = entry.first.Scalar();
    const auto found = fields.find(name);
    if (found == fields.end()) {
      return unknown_field(prefix, name, fields);
    }
    const std::string whole_name = prefix + name;
    if (!seen.insert(name).second) {
      return fail(ErrorCode::invalid_argument, "the field " + whole_name + " is repeated.");
    }
    if (auto read = found->second(whole_name, entry.second); !read) {
      return read;
    }
  }
  return {};
}

Result<double> read_number(
  const std::string & name, const YAML::Node & value, const NumberRange & range)
{
  const auto refuse = [&](const std::string & text) {
    return fail(
      ErrorCode::invalid_argument, name + " is " + text + ", but must be a " +
                                     (range.whole ? "whole " : "") + "number from " +
                                     to_text(range.from) + " to " + to_text(range.to) + ".");
  };
  if (!value.IsScalar()) {
    return refuse(value.IsNull() ? "empty" : "not a number");
  }
  const std::string & text = value.Scalar();
  double number = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (
    error != std::errc() || end != text.data() + text.size() || !std::isfinite(number) ||
    number < range.from || number > range.to || (range.whole && number != std::floor(number)))
  {
    return refuse(text.empty() ? "empty" : text);
  }
  return number;
}

}  // namespace pqc_tunnel::link_emulator
