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

// The algorithms and their known revisions, independent of liboqs. Each table is in the order of its enumeration.

// One revision of a specification, with a name that liboqs uses for it.
template <class Sizes>
struct Revision
{
  std::uint8_t number;  // on the wire; equal numbers interoperate
  const char * oqs_name;
  std::string_view specification;
  Sizes sizes;
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
  WireCode wire_code;                        // of revision 0
  std::array<Revision<Sizes>, 3> revisions;  // by preference; unused ones have no name
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
