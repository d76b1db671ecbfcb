// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__POWER_CAPTURE__SCAN_FORMAT_HPP_
#define PQC_TOOLS__POWER_CAPTURE__SCAN_FORMAT_HPP_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "pqc_tunnel/base/bytes.hpp"
#include "pqc_tunnel/base/result.hpp"

namespace pqc_tunnel::power
{

/// How a channel's value lies in the buffer of an IIO device (the kernel's Documentation/iio/iio_devbuf.rst).
struct ScanFormat
{
  bool big_endian = false;
  bool is_signed = false;
  unsigned bits = 0;
  unsigned storage_bits = 0;
  unsigned shift = 0;
};

/// Parses a channel's type file, such as "le:u16/16>>0". A value may have 8, 16, 32 or 64 bits of storage.
Result<ScanFormat> parse_scan_format(std::string_view text);

/// Returns a value from the storage of its channel.
std::int64_t scan_value(ByteView storage, const ScanFormat & format);

/// Where channels lie in a scan, in the order of their indices: each aligned to its own size.
struct ScanLayout
{
  std::vector<std::size_t> offsets;
  std::size_t bytes = 0;  // of a scan, aligned to the largest channel
};
ScanLayout lay_out(const std::vector<ScanFormat> & channels);

}  // namespace pqc_tunnel::power

#endif  // PQC_TOOLS__POWER_CAPTURE__SCAN_FORMAT_HPP_
