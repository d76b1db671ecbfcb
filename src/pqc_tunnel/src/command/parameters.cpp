// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <iostream>

#include "command_line/json_writer.hpp"
#include "config/config.hpp"
#include "given.hpp"

namespace pqc_tunnel::cli
{
namespace
{

// A default in JSON. Numbers keep their decimal point, so that a reader knows the type.
std::string json_value(const ParameterValue & value)
{
  if (const auto * word = std::get_if<std::string>(&value)) {
    return json_string(*word);
  }
  if (const auto * items = std::get_if<std::vector<std::string>>(&value)) {
    auto array = JsonWriter::array();
    for (const std::string & item : *items) {
      array.element(json_string(item));
    }
    return array.str();
  }
  std::string digits = to_text(value);
  if (std::holds_alternative<double>(value) && digits.find_first_of(".e") == std::string::npos) {
    digits += ".0";
  }
  return digits;
}

const char * type_name(ParameterType type)
{
  switch (type) {
    case ParameterType::boolean:
      return "bool";
    case ParameterType::integer:
      return "int";
    case ParameterType::number:
      return "double";
    case ParameterType::string:
      return "string";
    case ParameterType::string_list:
      return "string_array";
  }
  return "";
}

std::string parameter_json(const ParameterSpec & spec)
{
  auto json = JsonWriter::object();
  json.text("name", spec.name)
    .text("type", type_name(spec.type))
    .raw("default", json_value(spec.default_value))
    .text("unit", spec.unit)
    .text("section", spec.section)
    .text("end", spec.only ? to_string(*spec.only) : "both")
    .text("description", spec.description);
  if (spec.integer_range) {
    json.number("low", spec.integer_range->from).number("high", spec.integer_range->to);
  }
  if (spec.number_range) {
    json.number("low", spec.number_range->from).number("high", spec.number_range->to);
  }
  return json.str();
}

std::string parameter_line(const ParameterSpec & spec)
{
  return spec.name + " (" + to_string(spec.type) + ", default " + to_text(spec.default_value) +
         (spec.unit.empty() ? "" : " " + spec.unit) + "): " + spec.description;
}

}  // namespace

Result<int> parameters(const Given & given)
{
  const auto role = given.words.empty() ? std::nullopt : parse_role(given.words.front());
  if (!role && !given.words.empty()) {
    return fail(ErrorCode::invalid_argument, "Name a role: pqc parameters drone|gcs.");
  }
  std::string text;
  for (const ParameterSpec & spec : parameter_table()) {
    if (!role || spec.belongs_to(*role)) {
      text += text.empty() ? "" : given.json ? ",\n" : "\n";
      text += given.json ? parameter_json(spec) : parameter_line(spec);
    }
  }
  std::cout << (given.json ? "[\n" + text + "\n]\n" : text + "\n");
  return exit_success;
}

}  // namespace pqc_tunnel::cli
