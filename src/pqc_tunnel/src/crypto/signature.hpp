// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CRYPTO__SIGNATURE_HPP_
#define PQC_TUNNEL__CRYPTO__SIGNATURE_HPP_

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "crypto/suites/algorithms.hpp"
#include "random.hpp"
#include "secret.hpp"

namespace pqc_tunnel
{

/// A key pair of a signature algorithm.
struct SigningKeyPair
{
  Bytes public_key;
  SecretBytes secret_key;
};

/// Makes a key pair. Error `unavailable` if no library offers the algorithm. Never throws. Any thread.
Result<SigningKeyPair> generate_signing_key(
  SignatureAlgorithm algorithm, RandomSource & random) noexcept;

/// Signs a message without a context string. Error `invalid_argument` if the key has the wrong size,
/// `unavailable` if no library offers the algorithm. Never throws. Any thread.
Result<Bytes> sign(
  SignatureAlgorithm algorithm, ByteView message, const SecretBytes & secret_key,
  RandomSource & random) noexcept;

/// Returns true for a valid signature only; false also for wrong sizes and unavailable algorithms. Never
/// throws. Any thread.
bool verify(
  SignatureAlgorithm algorithm, ByteView message, ByteView signature, ByteView public_key) noexcept;

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CRYPTO__SIGNATURE_HPP_
