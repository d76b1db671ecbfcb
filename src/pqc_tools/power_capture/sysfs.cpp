// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "sysfs.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <system_error>

#include "pqc_tunnel/base/bytes.hpp"

namespace pqc_tunnel::power
{

std::optional<std::string> read_line(const std::filesystem::path & file)
{
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line)) {
    return std::nullopt;
  }
  return line;
}

std::optional<double> read_number(const std::filesystem::path & file)
{
  const auto line = read_line(file);
  double value = 0.0;
  if (!line || std::from_chars(line->data(), line->data() + line->size(), value).ec != std::errc())
  {
    return std::nullopt;
  }
  return value;
}

bool write_attribute(const std::filesystem::path & file, std::string_view text)
{
  const FileDescriptor out(::open(file.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  return out && write_whole(out.get(), bytes_of(text));
}

std::vector<std::filesystem::path> folders(
  const std::filesystem::path & in, std::string_view beginning)
{
  std::vector<std::filesystem::path> found;
  std::error_code none;
  for (const auto & entry : std::filesystem::directory_iterator(in, none)) {
    if (entry.path().filename().string().starts_with(beginning)) {
      found.push_back(entry.path());
    }
  }
  std::ranges::sort(found);
  return found;
}

Attribute::Attribute(const std::filesystem::path & file)
: file_(::open(file.c_str(), O_RDONLY | O_CLOEXEC))
{
}

std::optional<std::int64_t> Attribute::read() const
{
  std::array<char, 32> text{};
  const auto length = ::pread(file_.get(), text.data(), text.size(), 0);
  std::int64_t value = 0;
  if (length <= 0 || std::from_chars(text.data(), text.data() + length, value).ec != std::errc()) {
    return std::nullopt;
  }
  return value;
}

}  // namespace pqc_tunnel::power
