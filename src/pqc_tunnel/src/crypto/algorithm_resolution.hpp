// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CRYPTO__ALGORITHM_RESOLUTION_HPP_
#define PQC_TUNNEL__CRYPTO__ALGORITHM_RESOLUTION_HPP_

#include <cstdint>
#include <string>

#include "crypto/suites/algorithm_table.hpp"
#include "crypto/suites/algorithms.hpp"

namespace pqc_tunnel
{

// Returns the libraries of algorithms that are loaded, with their versions, as "liboqs 0.13.0, OpenSSL 3.0.17".
std::string loaded_libraries();

// The revision of an algorithm that the loaded library offers.
template <class Sizes>
struct Resolved
{
  const Revision<Sizes> * revision;
  WireCode wire_code;
  AlgorithmAvailability availability;
};

// Returns the first revision of `spec` that the library offers under its name and with exactly its sizes.
// `offered(revision)` returns the sizes of the library's algorithm with that name, or nothing; `library` is its name in
// sentences.
template <class Algorithm, class Family, class Sizes, class Offered>
Resolved<Sizes> resolve(
  const Spec<Algorithm, Family, Sizes> & spec, const Offered & offered, const std::string & library)
{
  std::string names;
  bool other_sizes = false;
  for (const auto & revision : spec.revisions) {
    if (revision.oqs_name == nullptr) {
      break;
    }
    const auto sizes = offered(revision);
    if (sizes == revision.sizes) {
      const int parameter = revision.number << 4 | spec.wire_code.parameter;
      return {&revision, {spec.wire_code.family, static_cast<std::uint8_t>(parameter)}, {true, ""}};
    }
    other_sizes = other_sizes || sizes.has_value();
    names += (names.empty() ? "" : " or ") + std::string(revision.oqs_name);
  }
  return {
    &spec.revisions[0],
    spec.wire_code,
    {false, other_sizes
              ? library + " offers " + names + " in a revision of other sizes than are known here"
              : library + " was built without " + names}};
}

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CRYPTO__ALGORITHM_RESOLUTION_HPP_
