// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__COMMAND_LINE__NUMBER_ARGUMENT_HPP_
#define PQC_TUNNEL__COMMAND_LINE__NUMBER_ARGUMENT_HPP_

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

#include "arguments.hpp"
#include "net/host_port.hpp"

namespace pqc_tunnel::cli
{

/// The smallest and largest value that is accepted.
struct NumberRange
{
  std::uint64_t min;
  std::uint64_t max;
};

/// Parses all of `text` as a whole number within the range; nothing if it is not one.
inline std::optional<std::uint64_t> parse_number(const std::string & text, NumberRange range)
{
  std::uint64_t number = 0;
  const char * end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end || number < range.min || number > range.max) {
    return std::nullopt;
  }
  return number;
}

/// The number of an option, or `otherwise` if it was not given. Error `invalid_argument` with the accepted
/// range.
inline Result<std::uint64_t> number_argument(
  const Arguments & arguments, const std::string & option, std::uint64_t otherwise,
  NumberRange range)
{
  const auto text = arguments.value(option);
  if (!text) {
    return otherwise;
  }
  if (const auto number = parse_number(*text, range)) {
    return *number;
  }
  return fail(
    ErrorCode::invalid_argument, option + " is " + *text + ", but must be a whole number from " +
                                   std::to_string(range.min) + " to " + std::to_string(range.max) +
                                   ".");
}

/// Parses HOST:PORT, or [HOST]:PORT for IPv6. HOST may be empty.
inline std::optional<HostPort> parse_address(const std::string & text)
{
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) {
    return std::nullopt;
  }
  std::string host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) {
    host = host.substr(1, host.size() - 2);
  }
  const auto port = parse_number(text.substr(colon + 1), {0, 65535});
  if (!port || (!bracketed && host.find(':') != std::string::npos)) {
    return std::nullopt;
  }
  return HostPort{host, static_cast<std::uint16_t>(*port)};
}

/// The HOST:PORT of an option that must be given, with a host.
inline Result<HostPort> address_argument(const Arguments & arguments, const std::string & option)
{
  const auto text = arguments.value(option);
  if (!text) {
    return fail(ErrorCode::invalid_argument, "The option " + option + " is needed.");
  }
  const auto address = parse_address(*text);
  if (!address || address->host.empty()) {
    return fail(ErrorCode::invalid_argument, option + " is " + *text + ", but must be HOST:PORT.");
  }
  return *address;
}

}  // namespace pqc_tunnel::cli

#endif  // PQC_TUNNEL__COMMAND_LINE__NUMBER_ARGUMENT_HPP_
