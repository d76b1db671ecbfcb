// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__POWER_CAPTURE__SYSFS_HPP_
#define PQC_TOOLS__POWER_CAPTURE__SYSFS_HPP_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pqc_tunnel/os/file_descriptor.hpp"

namespace pqc_tunnel::power
{

/// The first line of a file; nothing if it can't be read.
std::optional<std::string> read_line(const std::filesystem::path & file);
std::optional<double> read_number(const std::filesystem::path & file);
/// Writes an attribute. Returns false if there is none, or the kernel refuses.
bool write_attribute(const std::filesystem::path & file, std::string_view text);
/// The folders whose names begin so, in the order of their names.
std::vector<std::filesystem::path> folders(
  const std::filesystem::path & in, std::string_view beginning);

/// An attribute that is read again and again.
class Attribute
{
public:
  Attribute() = default;
  explicit Attribute(const std::filesystem::path & file);
  explicit operator bool() const { return static_cast<bool>(file_); }
  std::optional<std::int64_t> read() const;

private:
  FileDescriptor file_;
};

}  // namespace pqc_tunnel::power

#endif  // PQC_TOOLS__POWER_CAPTURE__SYSFS_HPP_
