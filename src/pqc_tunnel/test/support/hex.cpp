// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/hex.hpp"

#include <charconv>
#include <cstddef>
#include <stdexcept>

namespace pqc_tunnel::test
{

Bytes from_hex(std::string_view text)
{
  if (text.size() % 2 != 0) {
    throw std::invalid_argument("hex digits come in pairs");
  }
  Bytes bytes(text.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char * const digits = text.data() + 2 * i;
    if (std::from_chars(digits, digits + 2, bytes[i], 16).ptr != digits + 2) {
      throw std::invalid_argument("not a hex digit");
    }
  }
  return bytes;
}

std::string to_hex(ByteView bytes)
{
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const auto byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

}  // namespace pqc_tunnel::test
