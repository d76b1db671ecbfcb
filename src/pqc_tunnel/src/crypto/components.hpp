// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CRYPTO__COMPONENTS_HPP_
#define PQC_TUNNEL__CRYPTO__COMPONENTS_HPP_

#include <string>
#include <vector>

#include "crypto/suites/suite.hpp"

namespace pqc_tunnel
{

/// What computes one part of a suite in this process.
struct Component
{
  std::string algorithm;
  std::string library;          ///< with its version
  bool in_fips_module = false;  ///< a module that can have a certificate of FIPS 140-3
};

/// KEM, signature, AEAD, hashes and random numbers of a suite, in this order.
std::vector<Component> components(const Suite & suite);

/// Says which library serves which KEMs and signatures in this process.
std::string serving_text();

/// Says in one or two sentences which are in a FIPS module, and which are not.
std::string validation_text(const std::vector<Component> & components);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CRYPTO__COMPONENTS_HPP_
