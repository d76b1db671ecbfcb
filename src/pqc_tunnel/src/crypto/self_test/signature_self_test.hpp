// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CRYPTO__SELF_TEST__SIGNATURE_SELF_TEST_HPP_
#define PQC_TUNNEL__CRYPTO__SELF_TEST__SIGNATURE_SELF_TEST_HPP_

#include <functional>
#include <string>

#include "crypto/random.hpp"
#include "crypto/signature.hpp"

namespace pqc_tunnel
{

using Verifier = std::function<bool(
  SignatureAlgorithm algorithm, ByteView message, ByteView signature, ByteView public_key)>;

// Signs with a new key pair and checks that the verifier accepts that and refuses every forgery; for ML-DSA also what
// faulty implementations accepted: hints out of order or repeated (FIPS 204, algorithm 21), and a z that is too long.
// Returns the reason of a failure, or nothing.
std::string test_signature(
  SignatureAlgorithm algorithm, RandomSource & random, const Verifier & verifier = verify);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CRYPTO__SELF_TEST__SIGNATURE_SELF_TEST_HPP_
