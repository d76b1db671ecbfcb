// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CRYPTO__ALGORITHM_RESOLUTION_HPP_
#define PQC_TUNNEL__CRYPTO__ALGORITHM_RESOLUTION_HPP_

#include <string>
#include <vector>

#include "crypto/suites/algorithm_table.hpp"
#include "crypto/suites/algorithms.hpp"

namespace pqc_tunnel
{

// Returns the libraries of algorithms that are loaded, with their versions, as "liboqs 0.13.0, OpenSSL 3.0.17".
std::string loaded_libraries();

// A library may have a name for another revision of an algorithm, which other sizes show.
enum class Offer : std::uint8_t
{
  nothing,
  other_sizes,  // another revision
  fits,
};

// The implementations of an algorithm that the loaded libraries offer.
struct Resolved
{
  std::vector<const Implementation *> implementations;  // by preference
  AlgorithmAvailability availability;
};

// `offer(implementation)` returns the Offer, `version(library)` the library's name and version in sentences.
template <class Spec, class Offered, class Version>
Resolved resolve(const Spec & spec, const Offered & offer, const Version & version)
{
  Resolved resolved{};
  std::string missing;
  for (const Implementation & one : spec.implementations) {
    if (one.name == nullptr) {
      break;
    }
    const Offer offered = offer(one);
    if (offered == Offer::fits) {
      resolved.implementations.push_back(&one);
      continue;
    }
    missing += (missing.empty() ? "" : ", and ") + version(one.library) + " has " +
               (offered == Offer::nothing ? "no " : "another revision of ") + one.name;
  }
  resolved.availability.available = !resolved.implementations.empty();
  if (!resolved.availability.available) {
    const std::string successor(spec.successor);
    resolved.availability.reason =
      missing + (successor.empty() ? "" : "; " + successor + " has replaced it");
  }
  return resolved;
}

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CRYPTO__ALGORITHM_RESOLUTION_HPP_
