// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CRYPTO__SUITES__ALGORITHM_TABLE_HPP_
#define PQC_TUNNEL__CRYPTO__SUITES__ALGORITHM_TABLE_HPP_

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "algorithms.hpp"

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

struct AeadSpec
{
  AeadAlgorithm algorithm;
  std::string_view token;
  std::string_view display_name;
  std::uint8_t wire_code;
};

extern const std::array<KemSpec, 12> kem_specs;
extern const std::array<SignatureSpec, 11> signature_specs;
extern const std::array<AeadSpec, 4> aead_specs;

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CRYPTO__SUITES__ALGORITHM_TABLE_HPP_
