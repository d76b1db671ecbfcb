// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "parameter_check.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/nearest_name.hpp"
#include "crypto/suites/suite.hpp"

namespace pqc_tunnel
{

namespace
{

std::string number_text(double value)
{
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return std::string(buffer.data(), end);
}

// Accepts types that YAML does not distinguish: a whole number for a number, a word or an empty text
// for a list.
std::optional<ParameterValue> convert(const ParameterSpec & spec, const ParameterValue & value)
{
  if (const auto * items = std::get_if<std::vector<std::string>>(&value);
      items != nullptr && spec.type == ParameterType::string_list)
  {
    std::vector<std::string> named = *items;
    std::erase(named, "");  // [""] is an empty list in a parameter file of ROS
    return named;
  }
  if (value.index() == static_cast<std::size_t>(spec.type)) {
    return value;
  }
  if (spec.type == ParameterType::number) {
    if (const auto * integer = std::get_if<std::int64_t>(&value)) {
      return static_cast<double>(*integer);
    }
  }
  if (
    spec.type == ParameterType::string && !std::holds_alternative<std::vector<std::string>>(value))
  {
    return to_text(value);  // a name such as 10 or true
  }
  if (spec.type == ParameterType::string_list) {
    if (const auto * word = std::get_if<std::string>(&value)) {
      return word->empty() ? std::vector<std::string>() : std::vector<std::string>{*word};
    }
  }
  return std::nullopt;
}

Result<void> check_range(const ParameterSpec & spec, const ParameterValue & value)
{
  const auto outside = [&](const std::string & from, const std::string & to) {
    return fail(
      ErrorCode::invalid_argument, "Parameter " + spec.name + " is " + to_text(value) +
                                     ", but must be from " + from + " to " + to + ".");
  };
  if (spec.integer_range) {
    const auto number = std::get<std::int64_t>(value);
    if (number < spec.integer_range->from || number > spec.integer_range->to) {
      return outside(
        std::to_string(spec.integer_range->from), std::to_string(spec.integer_range->to));
    }
  }
  if (spec.number_range) {
    const auto number = std::get<double>(value);
    if (!(number >= spec.number_range->from && number <= spec.number_range->to)) {
      return outside(number_text(spec.number_range->from), number_text(spec.number_range->to));
    }
  }
  return {};
}

std::string wrong_type(const ParameterSpec & spec, const ParameterValue & value)
{
  const auto * text = std::get_if<std::string>(&value);
  const auto unquoted =
    parse_parameter_assignment("value:=" + (text == nullptr ? std::string() : *text));
  const bool quoted = text != nullptr && unquoted && convert(spec, unquoted->second);
  return "Parameter " + spec.name + " is " +
         (quoted ? "the text \"" + *text + "\"" : to_text(value)) + ", but must be " +
         to_string(spec.type) + (quoted ? ": remove the quotes." : ".");
}

std::string unknown_name(const std::string & name, const std::vector<ParameterSpec> & specs)
{
  std::vector<std::string> known;
  known.reserve(specs.size());
  for (const auto & spec : specs) {
    known.push_back(spec.name);
  }
  return "Parameter " + name + " is unknown" + suggestion(name, known);
}

// Before drones were files, parameters of the ground station listed them.
bool is_of_former_lists(const std::string & name)
{
  return name == "drones" || name.starts_with("drone.");
}

std::string former_lists(const std::string & name)
{
  return "Parameter " + name +
         " is of an earlier version: each drone is a file now, so remove drones, and move the "
         "lines "
         "drone.NAME.… without this prefix to the file drones/NAME.yaml in identity_dir.";
}

}  // namespace

std::string to_text(const ParameterValue & value)
{
  if (const auto * boolean = std::get_if<bool>(&value)) {
    return *boolean ? "true" : "false";
  }
  if (const auto * integer = std::get_if<std::int64_t>(&value)) {
    return std::to_string(*integer);
  }
  if (const auto * number = std::get_if<double>(&value)) {
    return number_text(*number);
  }
  if (const auto * word = std::get_if<std::string>(&value)) {
    return word->empty() ? "empty" : *word;
  }
  std::string joined;
  for (const auto & item : std::get<std::vector<std::string>>(value)) {
    joined += (joined.empty() ? "" : ", ") + item;
  }
  return "[" + joined + "]";
}

ParameterValues complete_parameters(
  Role role, const ParameterValues & given, std::vector<Error> & problems)
{
  return complete_parameters(parameter_specs(role, given), given, problems);
}

ParameterValues complete_parameters(
  const std::vector<ParameterSpec> & specs, const ParameterValues & given,
  std::vector<Error> & problems)
{
  ParameterValues complete;
  for (const auto & spec : specs) {
    complete[spec.name] = spec.default_value;
    const auto found = given.find(spec.name);
    if (found == given.end()) {
      continue;
    }
    auto value = convert(spec, found->second);
    if (!value) {
      problems.push_back({ErrorCode::invalid_argument, wrong_type(spec, found->second)});
    } else if (auto checked = check_range(spec, *value); !checked) {
      problems.push_back(checked.error());
    } else {
      complete[spec.name] = std::move(*value);
    }
  }
  bool told = false;
  for (const auto & [name, value] : given) {
    if (complete.contains(name) || (is_of_former_lists(name) && std::exchange(told, true))) {
      continue;
    }
    problems.push_back(
      {ErrorCode::invalid_argument,
       is_of_former_lists(name) ? former_lists(name) : unknown_name(name, specs)});
  }
  return complete;
}

Result<ParameterValues> complete_parameters(Role role, const ParameterValues & given)
{
  std::vector<Error> problems;
  auto complete = complete_parameters(role, given, problems);
  if (!problems.empty()) {
    return tl::make_unexpected(problems.front());
  }
  return complete;
}

}  // namespace pqc_tunnel
