// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "scan_format.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

namespace pqc_tunnel::power
{
namespace
{

std::size_t aligned(std::size_t offset, std::size_t to) { return (offset + to - 1) / to * to; }

}  // namespace

Result<ScanFormat> parse_scan_format(std::string_view text)
{
  char order = 0;
  char sign = 0;
  int used = 0;
  ScanFormat format;
  const std::string line(text.substr(0, text.find('\n')));
  const int found = std::sscanf(
    line.c_str(), "%ce:%c%u/%u>>%u%n", &order, &sign, &format.bits, &format.storage_bits,
    &format.shift, &used);
  const unsigned storage = format.storage_bits;
  const bool known = found == 5 && static_cast<std::size_t>(used) == line.size() &&
                     (order == 'l' || order == 'b') && (sign == 's' || sign == 'u') &&
                     (storage == 8 || storage == 16 || storage == 32 || storage == 64) &&
                     format.bits > 0 && format.shift < storage &&
                     format.bits <= storage - format.shift;
  if (!known) {
    return fail(ErrorCode::unavailable, "The sensor's channel has an unknown form: " + line);
  }
  format.big_endian = order == 'b';
  format.is_signed = sign == 's';
  return format;
}

std::int64_t scan_value(ByteView storage, const ScanFormat & format)
{
  const std::size_t bytes = format.storage_bits / 8;
  std::uint64_t raw = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    raw = raw << 8 | storage[format.big_endian ? i : bytes - 1 - i];
  }
  // Up to the left end and back, so that a sign fills the rest.
  const unsigned above = 64 - format.bits;
  raw = raw >> format.shift << above;
  return format.is_signed ? static_cast<std::int64_t>(raw) >> above
                          : static_cast<std::int64_t>(raw >> above);
}

ScanLayout lay_out(const std::vector<ScanFormat> & channels)
{
  ScanLayout layout;
  std::size_t largest = 1;
  for (const ScanFormat & channel : channels) {
    const std::size_t size = channel.storage_bits / 8;
    layout.offsets.push_back(aligned(layout.bytes, size));
    layout.bytes = layout.offsets.back() + size;
    largest = std::max(largest, size);
  }
  layout.bytes = aligned(layout.bytes, largest);
  return layout;
}

}  // namespace pqc_tunnel::power
