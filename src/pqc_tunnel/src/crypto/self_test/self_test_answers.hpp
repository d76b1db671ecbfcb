// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CRYPTO__SELF_TEST__SELF_TEST_ANSWERS_HPP_
#define PQC_TUNNEL__CRYPTO__SELF_TEST__SELF_TEST_ANSWERS_HPP_

#include <array>
#include <charconv>
#include <cstddef>
#include <string_view>

#include "base/bytes.hpp"
#include "crypto/suites/algorithms.hpp"

namespace pqc_tunnel
{

// Known answers of the symmetric primitives for the self-test, in hex.

inline Bytes from_hex(std::string_view text)
{
  Bytes bytes(text.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::from_chars(text.data() + 2 * i, text.data() + 2 * i + 2, bytes[i], 16);
  }
  return bytes;
}

struct AeadAnswer
{
  AeadAlgorithm algorithm;
  std::string_view key;
  std::string_view nonce;
  std::string_view aad;
  std::string_view plaintext;
  std::string_view ciphertext;
  std::string_view tag;
};

inline constexpr std::array<AeadAnswer, 4> aead_answers = {{
  // Wycheproof aes_gcm_test, case 101
  {AeadAlgorithm::aes_256_gcm, "cdccfe3f46d782ef47df4e72f0c02d9c7f774def970d23486f11a57f54247f17",
   "376187894605a8d45e30de51", "956846a209e087ed", "e28e0e9f9d22463ac0e42639b530f42102fded75",
   "feca44952447015b5df1f456df8ca4bb4eee2ce2", "082e91924deeb77880e1b1c84f9b8d30"},
  // Wycheproof chacha20_poly1305_test, case 43
  {AeadAlgorithm::chacha20_poly1305,
   "cdccfe3f46d782ef47df4e72f0c02d9c7f774def970d23486f11a57f54247f17", "376187894605a8d45e30de51",
   "956846a209e087ed", "e28e0e9f9d22463ac0e42639b530f42102fded75",
   "14f707c446988a4903775ec7acec6da114d43112", "987d4b147c490d43d376a198cab383f0"},
  // NIST LWC known answers of Ascon-128a
  {AeadAlgorithm::ascon_128a, "000102030405060708090a0b0c0d0e0f",
   "000102030405060708090a0b0c0d0e0f", "00010203040506070809",
   "000102030405060708090a0b0c0d0e0f101112", "89a046eba7f23493680e947185ee4b044b30b0",
   "dda833d1c6305254de4d69048afcb2d0"},
  // Known answers of the Ascon team for SP 800-232
  {AeadAlgorithm::ascon_aead128, "000102030405060708090a0b0c0d0e0f",
   "000102030405060708090a0b0c0d0e0f", "00010203040506070809",
   "000102030405060708090a0b0c0d0e0f101112", "f2f44b081312f3f8c13e843f0adbb84d30b7a2",
   "cfd84b5c030740dc4f117dc37a1d9468"},
}};

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
