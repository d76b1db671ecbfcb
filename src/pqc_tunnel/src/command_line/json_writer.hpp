// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__COMMAND_LINE__JSON_WRITER_HPP_
#define PQC_TUNNEL__COMMAND_LINE__JSON_WRITER_HPP_

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <string>
#include <string_view>

#include "base/shown_text.hpp"

namespace pqc_tunnel::cli
{

/// The text, as shown() lets it pass, as a JSON string.
inline std::string json_string(std::string_view text)
{
  std::string out = "\"";
  for (const char c : shown(std::string(text), text.npos)) {
    if (c == '"' || c == '\\') {
      out += '\\';
    }
    out += c;
  }
  return out + "\"";
}

/// Writes a JSON object or array on one line, member by member.
class JsonWriter
{
public:
  static JsonWriter object() { return JsonWriter('{', '}'); }
  static JsonWriter array() { return JsonWriter('[', ']'); }

  /// Adds a member whose value is JSON.
  JsonWriter & raw(std::string_view key, std::string_view json)
  {
    return element(json_string(key) + ": " + std::string(json));
  }
  /// Adds a text.
  JsonWriter & text(std::string_view key, std::string_view value)
  {
    return raw(key, json_string(value));
  }
  /// Adds true or false.
  JsonWriter & flag(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
  /// Adds a whole number.
  template <std::integral T>
  JsonWriter & number(std::string_view key, T value)
  {
    return raw(key, std::to_string(value));
  }
  /// Adds a number with nine significant digits; null if it is not finite.
  JsonWriter & number(std::string_view key, double value)
  {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(
      digits.data(), digits.data() + digits.size(), value, std::chars_format::general, 9);
    return raw(key, std::isfinite(value) ? std::string(digits.data(), end.ptr) : "null");
  }
  /// Adds an element, which is JSON, to an array.
  JsonWriter & element(std::string_view json)
  {
    text_ += (empty_ ? "" : ", ") + std::string(json);
    empty_ = false;
    return *this;
  }

  /// The complete JSON text.
  std::string str() const { return text_ + close_; }

private:
  JsonWriter(char open, char close) : text_(1, open), close_(close) {}
  std::string text_;
  char close_;
  bool empty_ = true;
};

}  // namespace pqc_tunnel::cli

#endif  // PQC_TUNNEL__COMMAND_LINE__JSON_WRITER_HPP_
