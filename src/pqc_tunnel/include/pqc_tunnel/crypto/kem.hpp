// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CRYPTO__KEM_HPP_
#define PQC_TUNNEL__CRYPTO__KEM_HPP_

#include <memory>

#include "pqc_tunnel/base/bytes.hpp"
#include "pqc_tunnel/base/result.hpp"
#include "pqc_tunnel/crypto/algorithms.hpp"
#include "pqc_tunnel/crypto/random.hpp"
#include "pqc_tunnel/crypto/secret.hpp"

struct OQS_KEM;

namespace pqc_tunnel
{

struct KemKeyPair
{
  Bytes public_key;
  SecretBytes secret_key;
};

struct Encapsulation
{
  Bytes ciphertext;
  SecretBytes shared_secret;
};

// One key-encapsulation mechanism of liboqs. Never throws; one thread at a time. Classic McEliece
// needs a stack of 16 MiB and up to seconds for keygen.
class Kem
{
public:
  // Error `unavailable` with the reason if liboqs has not got it.
  static Result<Kem> open(KemAlgorithm algorithm) noexcept;

  Result<KemKeyPair> keygen(RandomSource & random) const noexcept;
  // `invalid_argument` if a key or ciphertext is not of the algorithm's size.
  Result<Encapsulation> encapsulate(ByteView public_key, RandomSource & random) const noexcept;
  // A forged ciphertext of the right size gives an unrelated secret, not an error (implicit
  // rejection).
  Result<SecretBytes> decapsulate(
    ByteView ciphertext, const SecretBytes & secret_key) const noexcept;

  KemAlgorithm algorithm() const { return algorithm_; }

private:
  struct Free
  {
    void operator()(OQS_KEM * kem) const noexcept;
  };
  Kem(KemAlgorithm algorithm, OQS_KEM * kem) noexcept : algorithm_(algorithm), kem_(kem) {}

  KemAlgorithm algorithm_;
  std::unique_ptr<OQS_KEM, Free> kem_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CRYPTO__KEM_HPP_
