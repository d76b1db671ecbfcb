// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CRYPTO__SELF_TEST__SELF_TEST_ANSWERS_HPP_
#define PQC_TUNNEL__CRYPTO__SELF_TEST__SELF_TEST_ANSWERS_HPP_

#include <charconv>
#include <cstddef>
#include <string_view>

#include "base/bytes.hpp"

namespace pqc_tunnel
{

// Known answers of hashes for the self-test, in hex; those of AEADs are in their table.

inline Bytes from_hex(std::string_view text)
{
  Bytes bytes(text.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::from_chars(text.data() + 2 * i, text.data() + 2 * i + 2, bytes[i], 16);
  }
  return bytes;
}

// FIPS 180: SHA-512 of "abc"
inline constexpr std::string_view sha512_of_abc =
  "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
  "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f";

// RFC 5869, test case 1
inline constexpr std::string_view hkdf_input = "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b";
inline constexpr std::string_view hkdf_salt = "000102030405060708090a0b0c";
inline constexpr std::string_view hkdf_info = "f0f1f2f3f4f5f6f7f8f9";
inline constexpr std::string_view hkdf_output =
  "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865";

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CRYPTO__SELF_TEST__SELF_TEST_ANSWERS_HPP_
