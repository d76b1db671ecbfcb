// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CRYPTO__SUITES__ALGORITHM_TABLE_HPP_
#define PQC_TUNNEL__CRYPTO__SUITES__ALGORITHM_TABLE_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "algorithms.hpp"

struct evp_cipher_st;

namespace pqc_tunnel
{

// The algorithms, independent of libraries. Each table is in the order of its enumeration.

// A specification that was revised is followed by another algorithm. No suite has one of former and one of present
// revision: who uses what is new has no reason for what it replaced.
enum class Revision : std::uint8_t
{
  only,
  former,
  present,
};

template <class Algorithm, class Family, class Sizes>
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): the order is that of a row
struct Spec
{
  Algorithm algorithm;
  std::string_view token;
  std::string_view display_name;
  Family family;
  SecurityLevel level;
  WireCode wire_code;
  std::string_view specification;
  Sizes sizes;
  std::array<Implementation, 2> implementations;  // by preference; unused ones have no name
  Revision revision = Revision::only;
  std::string_view successor = {};  // its display name, of a former revision
};

using KemSpec = Spec<KemAlgorithm, KemFamily, KemSizes>;
using SignatureSpec = Spec<SignatureAlgorithm, SignatureFamily, SignatureSizes>;

// A known answer for the self-test, in hex.
struct AeadAnswer
{
  std::string_view key;
  std::string_view nonce;
  std::string_view aad;
  std::string_view plaintext;
  std::string_view ciphertext;
  std::string_view tag;
};

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): the order is that of a row
struct AeadSpec
{
  AeadAlgorithm algorithm;
  std::string_view token;
  std::string_view display_name;
  std::uint8_t wire_code;
  const evp_cipher_st * (*cipher)();  // of OpenSSL; null for Ascon
  std::size_t key_size;               // in bytes, as the next
  std::size_t iv_size;
  int weight;  // in the policy's order of suites
  bool in_paper_set;
  Revision revision;
  AeadAnswer answer;
};

extern const std::span<const KemSpec> kem_specs;
extern const std::span<const SignatureSpec> signature_specs;
extern const std::span<const AeadSpec> aead_specs;

const KemSpec & spec(KemAlgorithm algorithm);
const SignatureSpec & spec(SignatureAlgorithm algorithm);
const AeadSpec & spec(AeadAlgorithm algorithm);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CRYPTO__SUITES__ALGORITHM_TABLE_HPP_
