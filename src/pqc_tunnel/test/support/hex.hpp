// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__HEX_HPP_
#define SUPPORT__HEX_HPP_

#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace pqc_tunnel::test
{

// Throws std::invalid_argument for anything but pairs of hex digits.
Bytes from_hex(std::string_view text);
// Capital letters, as in NIST's response files.
std::string to_hex(ByteView bytes);

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__HEX_HPP_
