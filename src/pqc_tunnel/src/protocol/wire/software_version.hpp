// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__WIRE__SOFTWARE_VERSION_HPP_
#define PQC_TUNNEL__PROTOCOL__WIRE__SOFTWARE_VERSION_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pqc_tunnel
{

// Major, minor and patch of this program; the version of the protocol is another number.
using SoftwareVersion = std::array<std::uint8_t, 3>;

// Reads "1.2.3"; what is missing is 0.
constexpr SoftwareVersion software_version(std::string_view text)
{
  SoftwareVersion version{};
  std::size_t part = 0;
  for (const char c : text) {
    if (c == '.') {
      ++part;
    } else if (part < version.size() && c >= '0' && c <= '9') {
      version[part] = static_cast<std::uint8_t>(version[part] * 10 + (c - '0'));
    }
  }
  return version;
}

inline std::string to_string(const SoftwareVersion & version)
{
  return std::to_string(version[0]) + "." + std::to_string(version[1]) + "." +
         std::to_string(version[2]);
}

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__WIRE__SOFTWARE_VERSION_HPP_
