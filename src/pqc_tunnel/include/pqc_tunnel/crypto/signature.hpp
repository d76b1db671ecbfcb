// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CRYPTO__SIGNATURE_HPP_
#define PQC_TUNNEL__CRYPTO__SIGNATURE_HPP_

#include "pqc_tunnel/base/bytes.hpp"
#include "pqc_tunnel/base/result.hpp"
#include "pqc_tunnel/crypto/algorithms.hpp"
#include "pqc_tunnel/crypto/random.hpp"
#include "pqc_tunnel/crypto/secret.hpp"

namespace pqc_tunnel
{

struct SigningKeyPair
{
  Bytes public_key;
  SecretBytes secret_key;
};

// Signatures of liboqs, without context strings. None of these throws; any thread.

Result<SigningKeyPair> generate_signing_key(
  SignatureAlgorithm algorithm, RandomSource & random) noexcept;

// `invalid_argument` if the key is not of the algorithm's size, `unavailable` if liboqs has not got
// the algorithm.
Result<Bytes> sign(
  SignatureAlgorithm algorithm, ByteView message, const SecretBytes & secret_key,
  RandomSource & random) noexcept;

// False for anything but a genuine signature, wrong sizes and missing algorithms included.
bool verify(
  SignatureAlgorithm algorithm, ByteView message, ByteView signature, ByteView public_key) noexcept;

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CRYPTO__SIGNATURE_HPP_
