// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "parameter_file.hpp"

#include <yaml-cpp/yaml.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <system_error>

#include "os/named_file.hpp"

namespace pqc_tunnel
{

namespace
{

constexpr std::string_view parameters_key = "ros__parameters";

using Tokens = std::vector<std::string>;

// "/a/b" -> {"a", "b"}
Tokens split_name(std::string_view name)
{
  Tokens tokens;
  while (!name.empty()) {
    const auto slash = name.find('/');
    if (slash != 0) {
      tokens.emplace_back(name.substr(0, slash));
    }
    name.remove_prefix(slash == std::string_view::npos ? name.size() : slash + 1);
  }
  return tokens;
}

// * stands for one token, ** for any number of them, as in ROS 2 parameter files.
bool matches(std::span<const std::string> pattern, std::span<const std::string> name)
{
  if (pattern.empty()) {
    return name.empty();
  }
  if (pattern.front() == "**") {
    return matches(pattern.subspan(1), name) ||
           (!name.empty() && matches(pattern, name.subspan(1)));
  }
  return !name.empty() && (pattern.front() == "*" || pattern.front() == name.front()) &&
         matches(pattern.subspan(1), name.subspan(1));
}

template <class T>
std::optional<T> parse_number(const std::string & text)
{
  T value{};
  const char * const end = text.data() + text.size();
  const char * const begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const auto [stopped, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stopped != end || text.empty()) {
    return std::nullopt;
  }
  return value;
}

ParameterValue to_scalar(const YAML::Node & node)
{
  const std::string & text = node.Scalar();
  const bool quoted = node.Tag() == "!";
  if (quoted) {
    return text;
  }
  if (text == "true" || text == "True" || text == "TRUE") {
    return true;
  }
  if (text == "false" || text == "False" || text == "FALSE") {
    return false;
  }
  if (const auto integer = parse_number<std::int64_t>(text)) {
    return *integer;
  }
  if (const auto number = parse_number<double>(text); number && std::isfinite(*number)) {
    return *number;
  }
  return text;
}

Result<ParameterValue> to_value(const std::string & name, const YAML::Node & node)
{
  if (node.IsScalar()) {
    return to_scalar(node);
  }
  if (node.IsSequence()) {
    std::vector<std::string> items;
    for (const auto & item : node) {
      if (!item.IsScalar()) {
        return fail(
          ErrorCode::invalid_argument, "Parameter " + name +
                                         " is a list of something other "
                                         "than texts; write it as [one, two].");
      }
      items.push_back(item.Scalar());
    }
    return items;
  }
  return fail(
    ErrorCode::invalid_argument,
    "Parameter " + name + " has no value; give it one or remove the line.");
}

// Aliases let a short file stand for an endless one.
constexpr std::size_t most_entries = 10000;

struct Sections
{
  std::vector<std::string> names;  // of all, as in the file
  bool apply = false;              // one of them, to the node
  std::size_t entries = 0;         // looked at
};

Result<void> count_entry(Sections & sections)
{
  if (++sections.entries > most_entries) {
    return fail(
      ErrorCode::invalid_argument,
      "it has more than " + std::to_string(most_entries) + " entries.");
  }
  return {};
}

Result<void> collect(
  const std::string & prefix, const YAML::Node & node, ParameterValues & into, Sections & sections)
{
  for (const auto & entry : node) {
    if (auto counted = count_entry(sections); !counted) {
      return counted;
    }
    const std::string name = prefix + entry.first.Scalar();
    if (entry.second.IsMap()) {
      if (auto collected = collect(name + ".", entry.second, into, sections); !collected) {
        return collected;
      }
      continue;
    }
    if (belongs_to_every_node(name)) {
      continue;
    }
    auto value = to_value(name, entry.second);
    if (!value) {
      return tl::make_unexpected(value.error());
    }
    into[name] = std::move(*value);
  }
  return {};
}

// Goes down through namespaces until it meets ros__parameters.
Result<void> collect_sections(
  const std::string & above, const YAML::Node & node, const Tokens & wanted, ParameterValues & into,
  Sections & sections)
{
  for (const auto & entry : node) {
    if (auto counted = count_entry(sections); !counted) {
      return counted;
    }
    const std::string key = entry.first.Scalar();
    if (key == parameters_key) {
      sections.names.push_back(above);
      if (!entry.second.IsMap() && !entry.second.IsNull()) {
        return fail(
          ErrorCode::invalid_argument, "ros__parameters must hold lines of the form name: value.");
      }
      if (matches(split_name(above), wanted)) {
        sections.apply = true;
        if (auto collected = collect("", entry.second, into, sections); !collected) {
          return collected;
        }
      }
      continue;
    }
    if (!entry.second.IsMap()) {
      continue;
    }
    std::string deeper = above;
    deeper.append(above.empty() ? "" : "/").append(key);
    if (auto found = collect_sections(deeper, entry.second, wanted, into, sections); !found) {
      return found;
    }
  }
  return {};
}

std::string without_section(
  const std::filesystem::path & file, const std::string & node,
  const std::vector<std::string> & sections)
{
  std::string names;
  for (const auto & name : sections) {
    names += (names.empty() ? "" : ", ") + name;
  }
  return "Parameter file " + file.string() + " has no section for " + node + ", only for " + names +
         "; name one /**/" + node.substr(node.rfind('/') + 1) + ".";
}

}  // namespace

bool belongs_to_every_node(std::string_view name)
{
  return name == "use_sim_time" || name == "start_type_description_service" ||
         name.starts_with("qos_overrides.") || name.starts_with("diagnostic_updater.");
}

Result<std::string> read_parameter_file(const std::filesystem::path & file)
{
  return read_named_text(file, "Parameter file " + file.string());
}

namespace
{

// Parses the file, and hands what it holds to read(root, in_file), in_file(what) being an error of the file.
template <class Read>
Result<ParameterValues> load_yaml(const std::filesystem::path & file, Read && read)
{
  const auto in_file = [&file](const std::string & what) {
    return fail(ErrorCode::invalid_argument, "Parameter file " + file.string() + ": " + what);
  };
  const auto text = read_parameter_file(file);
  if (!text) {
    return tl::make_unexpected(text.error());
  }
  try {
    return read(YAML::Load(*text), in_file);
  } catch (const YAML::ParserException & error) {
    return in_file(
      "line " + std::to_string(error.mark.line + 1) + " isn't valid YAML (" + error.msg + ").");
  } catch (const YAML::Exception & error) {
    return in_file("it isn't valid YAML (" + error.msg + ").");
  }
}

}  // namespace

Result<ParameterValues> load_parameter_file(
  const std::filesystem::path & file, std::string_view node_name)
{
  return load_yaml(file, [&](const YAML::Node & root, auto in_file) -> Result<ParameterValues> {
    ParameterValues values;
    Sections sections;
    if (root.IsMap()) {
      auto collected = collect_sections("", root, split_name(node_name), values, sections);
      if (!collected) {
        return in_file(collected.error().message);
      }
    }
    if (sections.names.empty()) {
      return in_file("it holds no section of the form node_name: ros__parameters: …");
    }
    if (!sections.apply) {
      return fail(
        ErrorCode::invalid_argument, without_section(file, std::string(node_name), sections.names));
    }
    return values;
  });
}

Result<ParameterValues> load_plain_file(const std::filesystem::path & file)
{
  return load_yaml(file, [](const YAML::Node & root, auto in_file) -> Result<ParameterValues> {
    ParameterValues values;
    Sections sections;
    if (!root.IsMap() && !root.IsNull()) {
      return in_file("it must hold lines of the form name: value.");
    }
    if (auto collected = collect("", root, values, sections); !collected) {
      return in_file(collected.error().message);
    }
    return values;
  });
}

Result<std::pair<std::string, ParameterValue>> parse_parameter_assignment(std::string_view text)
{
  const auto assign = text.find(":=");
  if (assign == std::string_view::npos || assign == 0) {
    return fail(
      ErrorCode::invalid_argument, "\"" + std::string(text) + "\" isn't of the form name:=value.");
  }
  std::string name(text.substr(0, assign));
  try {
    auto value = to_value(name, YAML::Load(std::string(text.substr(assign + 2))));
    if (!value) {
      return tl::make_unexpected(value.error());
    }
    return std::pair{std::move(name), std::move(*value)};
  } catch (const YAML::Exception &) {
    return fail(ErrorCode::invalid_argument, "The value given for " + name + " isn't valid YAML.");
  }
}

}  // namespace pqc_tunnel
