// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_EXPOSURE__PARSE_NUMBER_HPP_
#define PQC_EXPOSURE__PARSE_NUMBER_HPP_

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace pqc_tunnel::exposure
{

// Returns the number that the whole text represents; nothing if it is none, or too large.
template <class T>
std::optional<T> parse_number(std::string_view digits, int base = 10)
{
  T value{};
  const char * const end = digits.data() + digits.size();
  const auto [stopped, error] = std::from_chars(digits.data(), end, value, base);
  return error == std::errc() && stopped == end ? std::optional(value) : std::nullopt;
}

}  // namespace pqc_tunnel::exposure

#endif  // PQC_EXPOSURE__PARSE_NUMBER_HPP_
